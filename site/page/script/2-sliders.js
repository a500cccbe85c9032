// Sliders: each stands beside a number, of which it is the logarithm.

const sliders = () => document.querySelectorAll("input[type=range]");

// Two digits are enough for a slider; what is typed has as many as it likes.
function textAt(slider) {
  const exponent = Number(slider.value);
  if (slider.dataset.of === "delta") return slider.value === slider.min ? "0" : `1e${exponent}`;
  const rounded = Number((10 ** exponent).toPrecision(2));
  const isWhole = slider.dataset.of === "clients" || slider.dataset.of === "releases";
  return String(isWhole ? Math.round(rounded) : rounded);
}

// Where the slider of a number stands. Fractions such as 1/3 are numbers here, too.
function placeOf(text) {
  const [above, below = "1"] = text.split("/");
  const value = Number(above) / Number(below);
  return value > 0 ? Math.log10(value) : Number.NEGATIVE_INFINITY;
}

function arrangeSliders() {
  for (const slider of sliders()) {
    const text = input(slider.dataset.of).value.trim();
    if (textAt(slider) !== text) {
      slider.value = Math.max(Number(slider.min), Math.min(Number(slider.max), placeOf(text)));
    }
    slider.setAttribute("aria-valuetext", text === "" ? "not given" : text);
  }
}

// The number beside a slider that moved.
function moved(slider) {
  input(slider.dataset.of).value = textAt(slider);
}
