//! The app: a tool whose answer is meant for a page, not for the model.

use super::super::answer::push;
use super::super::conduct::{Conduct, Stop};
use super::super::result::push_text_block;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const APP: Tool = Tool {
    name: "app",
    title: "A tool with a page",
    description: "Belongs to a page, ui://sample/app, that a host with MCP Apps can show. \
                  The page reads the structured content, so nobody should reshape it.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: Some(r#"{"ui": {"resourceUri": "ui://sample/app"}}"#),
    handler: app,
};

fn app(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Conduct, Stop> {
    call.no_arguments()?;
    push(out, "{\"content\":[");
    push_text_block(out, "The view is ready.");
    push(out, r#"],"structuredContent":{"view":"ready"},"_meta":{"ui":{"x":1}}}"#);
    Ok(Conduct::AnswerWithMeta)
}
