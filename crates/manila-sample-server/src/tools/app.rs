//! The tool `app`, whose result is for a page, not for the model.

use super::super::disposition::{Disposition, HandlerError};
use super::super::jsonrpc::push;
use super::super::result::push_text_block;
use super::{Call, NO_ARGUMENTS, Tool};

pub(super) const APP: Tool = Tool {
    name: "app",
    title: "A tool with a page",
    description: "Belongs to a page, ui://sample/app, that a host with MCP Apps can show. \
                  The page reads the structured content, so a gateway must not change it.",
    input_schema: NO_ARGUMENTS,
    output_schema: None,
    meta: Some(r#"{"ui": {"resourceUri": "ui://sample/app"}}"#),
    handler: app,
};

fn app(call: &Call<'_>, out: &mut Vec<u8>) -> Result<Disposition, HandlerError> {
    call.reject_arguments()?;
    push(out, "{\"content\":[");
    push_text_block(out, "The view is ready.");
    push(out, r#"],"structuredContent":{"view":"ready"},"_meta":{"ui":{"x":1}}}"#);
    Ok(Disposition::AnswerWithMeta)
}
