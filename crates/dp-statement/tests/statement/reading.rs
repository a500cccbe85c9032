//! How easy the page reads.
//!
//! Flesch's reading ease (Flesch 1948, "A new readability yardstick"): 206.835 − 1.015·words per sentence −
//! 84.6·syllables per word. 60 to 70 is plain English, as of pupils of thirteen to fifteen years; newspapers have
//! about 50 to 65. The page has to have 65.

use crate::common::all;

const LEAST: f64 = 65.0;

/// The words of a page, without its marks, tables, headings and digests.
fn sentences(page: &str) -> Vec<Vec<String>> {
    let lines = page.lines().filter(|line| {
        let is_text = !line.starts_with(['#', '|', '<']);
        is_text && !line.starts_with("For experts")
    });
    let text: Vec<&str> = lines.collect();
    let text = text
        .join("\n")
        .replace("\n\n", ".\n")
        .replace("\n- ", ".\n");
    // A point between digits ends nothing.
    let text = text.replace(". ", ".\n").replace(": ", ".\n");
    let text = text.replace("? ", "?\n");
    let sentences = text.split('\n').map(|sentence| {
        let words =
            sentence.split(|character: char| !character.is_alphanumeric() && character != '\'');
        let words = words.filter(|word| !word.is_empty());
        words.map(str::to_lowercase).collect::<Vec<String>>()
    });
    sentences.filter(|words| !words.is_empty()).collect()
}

/// About the syllables of an English word: groups of vowels, without a silent e.
fn syllables(word: &str) -> usize {
    if word.chars().all(|character| character.is_ascii_digit()) {
        // "twelve", "thirty", "a hundred".
        return word.len().max(1);
    }
    let is_vowel = |character: char| "aeiouy".contains(character);
    let mut count = 0;
    let mut before = false;
    for character in word.chars() {
        let vowel = is_vowel(character);
        count += usize::from(vowel && !before);
        before = vowel;
    }
    let is_silent = word.ends_with('e') && !word.ends_with("le") && count > 1;
    (count - usize::from(is_silent)).max(1)
}

fn reading_ease(page: &str) -> f64 {
    let sentences = sentences(page);
    let words: Vec<&String> = sentences.iter().flatten().collect();
    let count = |number: usize| f64::from(u32::try_from(number).expect("few"));
    let all: usize = words.iter().map(|word| syllables(word)).sum();
    206.835
        - 1.015 * count(words.len()) / count(sentences.len())
        - 84.6 * count(all) / count(words.len())
}

#[test]
fn every_page_reads_as_easily_as_a_newspaper() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let ease = reading_ease(&page);
        assert!(ease >= LEAST, "{name}: {ease:.1}\n{page}");
        let longest = sentences(&page).into_iter().max_by_key(Vec::len);
        let longest = longest.expect("a sentence");
        assert!(longest.len() <= 30, "{name}: {longest:?}");
    }
}

/// The measure tells: a guarantee in the words of experts does not pass.
#[test]
fn the_words_of_experts_are_found_to_be_hard() {
    let guarantee = all()[0].1.stated()[1].guarantee.to_string();
    assert!(
        reading_ease(&guarantee) < LEAST - 5.0,
        "{}",
        reading_ease(&guarantee)
    );
    assert_eq!(
        ["people", "operators", "answer", "the", "code", "table"].map(syllables),
        [2, 4, 2, 1, 1, 2]
    );
}

/// No symbols, no word that only experts know.
#[test]
fn a_page_has_no_greek_and_no_jargon() {
    let jargon = [
        "epsilon",
        "delta",
        "rho",
        "budget",
        "aggregator",
        "differential",
        "adversary",
        "collector",
        "randomiz",
        "guarantee",
        "parameter",
        "batch",
        "OAOC",
        "OAMC",
        "VDAF",
        "Prio3",
    ];
    for (name, statement) in all() {
        let page = statement.to_markdown();
        // The comment in front and the digest at the end are for experts.
        let text = page.split_once("-->").expect("a comment").1;
        for word in jargon {
            assert!(!text.contains(word), "{name}: {word}");
        }
        let is_greek = |character: char| ('\u{370}'..'\u{400}').contains(&character);
        assert!(!text.contains(is_greek), "{name}");
    }
}

/// What fits on a page, with little space between the lines: 800 words.
#[test]
fn a_page_is_one_page() {
    for (name, statement) in all() {
        let page = statement.to_markdown();
        let words = page.split_whitespace();
        let words = words
            .filter(|word| word.contains(char::is_alphanumeric))
            .count();
        assert!(words <= 800, "{name}: {words}");
    }
}
