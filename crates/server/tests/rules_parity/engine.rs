//! Runs the TypeScript rules in the engine that renders pages on the server.

use std::path::Path;

use rquickjs::{CatchResultExt, Context, Ctx, Function, Module, Object, Runtime, TypedArray};
use rules::PostalCountry;

use crate::inputs::Input;

/// The file that `npm run build` makes from `form/src/rules.ts`.
const BUNDLE: &str = "../../dist/page-server/rules.js";

pub(crate) struct Engine {
    context: Context,
    _runtime: Runtime,
}

impl Engine {
    /// Loads the built rules.
    pub(crate) fn load() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(BUNDLE);
        let script = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("dist/page-server/rules.js: {error}; run `npm run build` first"));
        let runtime = Runtime::new().expect("an engine");
        let context = Context::full(&runtime).expect("a context");
        context.with(|ctx| {
            let load = || -> rquickjs::Result<()> {
                let (module, loaded) = Module::declare(ctx.clone(), "rules.js", script)?.eval()?;
                loaded.finish::<()>()?;
                for name in ["verdict", "brandOf"] {
                    ctx.globals().set(name, module.get::<_, Function>(name)?)?;
                }
                Ok(())
            };
            load().catch(&ctx).unwrap_or_else(|error| panic!("{error}"));
        });
        Self {
            context,
            _runtime: runtime,
        }
    }

    /// The verdict of the TypeScript rules.
    pub(crate) fn verdict(&self, input: &Input) -> String {
        self.call(|ctx| {
            let verdict: Function = ctx.globals().get("verdict")?;
            let units = TypedArray::<u16>::new(ctx.clone(), input.units.as_slice())?;
            verdict.call((input.field.name(), units, context(ctx, input)?))
        })
    }

    /// The brand that the TypeScript rules detect.
    pub(crate) fn brand_of(&self, units: &[u16]) -> Option<String> {
        self.call(|ctx| {
            let brand_of: Function = ctx.globals().get("brandOf")?;
            brand_of.call((TypedArray::<u16>::new(ctx.clone(), units)?,))
        })
    }

    fn call<T>(&self, call: impl for<'js> Fn(&Ctx<'js>) -> rquickjs::Result<T>) -> T {
        self.context
            .with(|ctx| call(&ctx).catch(&ctx).unwrap_or_else(|error| panic!("{error}")))
    }
}

fn context<'js>(ctx: &Ctx<'js>, input: &Input) -> rquickjs::Result<Object<'js>> {
    let rules::Context {
        experiments,
        today,
        brand,
        postal_country,
    } = input.context;
    let object = Object::new(ctx.clone())?;
    object.set("luhn", experiments.luhn)?;
    object.set("securityCodeLength", experiments.security_code_length)?;
    object.set("expiryLimit", experiments.expiry_limit)?;
    object.set("year", today.year)?;
    object.set("month", today.month)?;
    object.set("country", postal_country.map_or("DE", PostalCountry::code))?;
    match brand {
        Some(brand) => object.set("brand", brand.name())?,
        None => object.set("brand", rquickjs::Null)?,
    }
    Ok(object)
}
