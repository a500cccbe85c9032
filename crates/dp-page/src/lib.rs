//! spike
use wasm_bindgen::prelude::wasm_bindgen;
/// spike
#[wasm_bindgen]
pub fn plan(question: &str) -> String {
    let Ok(question) = serde_json::from_str::<dp_planner::Question>(question) else { return "bad".to_owned() };
    let (job, wanted) = match question.read() { Ok(x) => x, Err(e) => return e.to_string() };
    match dp_planner::plan(&job, &wanted) {
        Ok(plan) => serde_json::to_string(&plan).unwrap_or_default() + &plan.chosen().and_then(|c| c.task(&wanted).ok()).and_then(|t| t.to_toml().ok()).unwrap_or_default(),
        Err(e) => e.to_string(),
    }
}
