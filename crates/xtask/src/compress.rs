//! Writes `.br` and `.gz` beside what is served, so that the server compresses nothing while it answers.

use std::io::Write;
use std::path::Path;

use crate::failure::Failure;
use crate::files;

/// The folders of `dist/` that a browser fetches from.
const SERVED: [&str; 4] = ["page", "sdk", "demo", "operator"];

/// What compresses well. Images and fonts are compressed in themselves.
const TEXT: [&str; 9] = [
    "js",
    "mjs",
    "css",
    "html",
    "svg",
    "json",
    "map",
    "txt",
    "webmanifest",
];

/// The highest quality: it is paid once for a build and saves on every answer.
const BROTLI_QUALITY: i32 = 11;

/// The whole window of the format (4 MiB), more than any file here.
const BROTLI_WINDOW_BITS: i32 = 22;

/// Writes `x.br` and `x.gz` beside every text file `x` that is served from `dist`, where it is the smaller one.
pub(crate) fn beside(dist: &Path) -> Result<(), Failure> {
    for name in files::list(dist, &SERVED)? {
        let path = dist.join(&name);
        if !path
            .extension()
            .is_some_and(|kind| TEXT.iter().any(|text| kind == *text))
        {
            continue;
        }
        let content = std::fs::read(&path).map_err(Failure::file(&path))?;
        for (suffix, packed) in [("br", brotli(&content)), ("gz", gzip(&content))] {
            let packed = packed.map_err(Failure::file(&path))?;
            if packed.len() < content.len() {
                let target = dist.join(format!("{name}.{suffix}"));
                std::fs::write(&target, packed).map_err(Failure::file(&target))?;
            }
        }
    }
    Ok(())
}

/// `content` in the Brotli format.
pub(crate) fn brotli(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let parameters = ::brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW_BITS,
        size_hint: content.len(),
        ..Default::default()
    };
    let mut packed = Vec::new();
    ::brotli::BrotliCompress(&mut &*content, &mut packed, &parameters)?;
    Ok(packed)
}

/// `content` in the gzip format, without a time, so that the same content gives the same bytes.
pub(crate) fn gzip(content: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(content)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_browser_gets_back_what_was_built() {
        let content = "const form = document.querySelector('form');\n"
            .repeat(40)
            .into_bytes();
        let mut unpacked = Vec::new();
        ::brotli::BrotliDecompress(&mut &*brotli(&content).unwrap(), &mut unpacked).unwrap();
        assert_eq!(unpacked, content);

        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*gzip(&content).unwrap())
            .read_to_end(&mut unpacked)
            .unwrap();
        assert_eq!(unpacked, content);
    }

    #[test]
    fn only_served_text_that_gets_smaller_is_compressed() {
        let folder = tempfile::tempdir().unwrap();
        let dist = folder.path();
        let long = "body { color: black }\n".repeat(20);
        for (file, content) in [
            ("page/a.css", &*long),
            ("page/tiny.js", "1"),
            ("page/logo.png", &*long),
            ("page-server/server.js", &*long),
        ] {
            let path = dist.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
        beside(dist).unwrap();
        let found = files::list(dist, &["."]).unwrap();
        assert_eq!(
            found,
            [
                "page-server/server.js",
                "page/a.css",
                "page/a.css.br",
                "page/a.css.gz",
                "page/logo.png",
                "page/tiny.js"
            ]
        );
    }
}
