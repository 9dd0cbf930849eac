use super::*;

fn renderer(script: &str, limits: RenderLimits) -> Renderer {
    Renderer::start(&script.into(), RenderLimits { engines: 1, ..limits })
}

const SLOW_LIMIT: RenderLimits = RenderLimits {
    engines: 1,
    time: Duration::from_secs(60),
    memory_bytes_max: 64 * 1024 * 1024,
};

#[tokio::test]
async fn a_page_is_rendered_by_the_scripts_render_function() {
    let renderer = renderer(
        "export const render = (json) => `<p>${JSON.parse(json).name}</p>`;",
        SLOW_LIMIT,
    );
    assert_eq!(
        renderer.render(r#"{"name":"Ana"}"#.into()).await.unwrap(),
        "<p>Ana</p>"
    );
}

#[tokio::test]
async fn an_engine_that_throws_is_replaced_for_the_next_page() {
    let script = "let broken = false;
            export const render = (json) => {
                if (json === 'break') { broken = true; }
                if (broken) { throw new Error('on purpose'); }
                return json;
            };";
    let renderer = renderer(script, SLOW_LIMIT);
    let error = renderer.render("break".into()).await.unwrap_err();
    assert!(error.to_string().contains("on purpose"), "{error}");
    assert_eq!(renderer.render("whole".into()).await.unwrap(), "whole");
}

#[tokio::test]
async fn an_engine_that_hangs_is_interrupted_and_replaced() {
    let script = "export const render = (json) => { while (json === 'hang') {} return json; };";
    let renderer = renderer(
        script,
        RenderLimits {
            time: Duration::from_millis(300),
            ..SLOW_LIMIT
        },
    );
    assert!(matches!(
        renderer.render("hang".into()).await,
        Err(RenderError::TimedOut)
    ));
    let mut answer = renderer.render("whole".into()).await;
    while matches!(answer, Err(RenderError::TimedOut)) {
        answer = renderer.render("whole".into()).await;
    }
    assert_eq!(answer.unwrap(), "whole");
}

#[tokio::test]
async fn an_engine_that_uses_too_much_memory_is_replaced() {
    let script = "const kept = [];
            export const render = (json) => { while (json === 'eat') { kept.push('x'.repeat(1e6)); } return json; };";
    let renderer = renderer(script, SLOW_LIMIT);
    assert!(matches!(
        renderer.render("eat".into()).await,
        Err(RenderError::Failed(_))
    ));
    assert_eq!(renderer.render("whole".into()).await.unwrap(), "whole");
}

#[tokio::test]
async fn a_script_that_does_not_load_is_an_error_and_not_a_panic() {
    let renderer = renderer("export const render = ", SLOW_LIMIT);
    assert!(matches!(
        renderer.render("{}".into()).await,
        Err(RenderError::Failed(_))
    ));
}
