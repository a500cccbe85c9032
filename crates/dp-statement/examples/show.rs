//! Shows.
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let task = dp_task::Task::from_toml(std::fs::read(&a[1]).unwrap()).unwrap();
    let n = match &task.document().vdaf { v => v.aggregators() };
    let mut d = std::fs::read_to_string(&a[2]).unwrap();
    for i in 2..n { d = d.replace("[collector]", &format!("[[aggregators]]\noperator = \"Third {i}\"\ntrust = \"x\"\n\n[collector]")); }
    let s = dp_statement::Statement::new(task, dp_statement::Deployment::from_toml(d).unwrap(), a[3].parse().unwrap()).unwrap();
    println!("{}", s.to_markdown());
    println!("{}", s.to_yaml().unwrap());
}
