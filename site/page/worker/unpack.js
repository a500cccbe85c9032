// The planner's program as the page holds it: LZMA of known size, written in 91 characters.

// Two characters are thirteen bits. They are the printable ones without &, < and the backslash.
function fromText(text) {
  const digits = new Uint8Array(128);
  let count = 0;
  for (let code = 33; code < 127; code++) {
    if (code !== 38 && code !== 60 && code !== 92) digits[code] = count++;
  }
  const bytes = new Uint8Array(text.length / 2 * 13 >> 3);
  let bits = 0, held = 0;
  for (let from = 0, to = 0; from < text.length; from += 2) {
    bits = bits << 13 | digits[text.charCodeAt(from)] * 91 + digits[text.charCodeAt(from + 1)];
    for (held += 13; held >= 8; to++) {
      held -= 8;
      bytes[to] = bits >> held;
    }
  }
  return bytes;
}

// Where each kind of bit has its probabilities. The page's files are written with lc = 4, lp = 0 and pb = 0,
// so nothing depends on where in the file a byte stands.
const LITERAL_BITS = 4;
const IS_MATCH = 0, IS_REPEAT = 12, IS_REPEAT_0 = 24, IS_REPEAT_1 = 36, IS_REPEAT_2 = 48, IS_LONG = 60;
const SLOTS = 72, PLACES = SLOTS + 4 * 64, ALIGN = PLACES + 128, LENGTH = ALIGN + 16;
const REPEATED_LENGTH = LENGTH + 274, LITERALS = REPEATED_LENGTH + 274;

// Decodes bits: Igor Pavlov's LZMA specification, 2015.
function bitsOf(input) {
  const probabilities = new Uint16Array(LITERALS + (0x300 << LITERAL_BITS)).fill(1024);
  let range = 0xffffffff, code = 0, next = 1;
  while (next < 5) code = (code << 8 | input[next++]) >>> 0;

  function bit(place) {
    const probability = probabilities[place];
    const bound = (range >>> 11) * probability;
    let result;
    if (code < bound) {
      range = bound;
      probabilities[place] = probability + (2048 - probability >> 5);
      result = 0;
    } else {
      range -= bound;
      code -= bound;
      probabilities[place] = probability - (probability >> 5);
      result = 1;
    }
    if (range < 0x1000000) {
      range = range << 8 >>> 0;
      code = (code << 8 | input[next++]) >>> 0;
    }
    return result;
  }

  // Bits of even odds.
  function direct(count) {
    let value = 0;
    for (; count > 0; count--) {
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      value = value << 1 | one;
      if (range < 0x1000000) {
        range = range << 8 >>> 0;
        code = (code << 8 | input[next++]) >>> 0;
      }
    }
    return value;
  }

  // A number, its most significant bit first.
  function tree(place, count) {
    let node = 1;
    for (let done = 0; done < count; done++) node = node << 1 | bit(place + node);
    return node - (1 << count);
  }

  // A number, its least significant bit first.
  function reversed(place, count) {
    let node = 1, value = 0;
    for (let done = 0; done < count; done++) {
      const one = bit(place + node);
      node = node << 1 | one;
      value |= one << done;
    }
    return value;
  }

  return { bit, direct, tree, reversed };
}

function unpack(text, size) {
  const { bit, direct, tree, reversed } = bitsOf(fromText(text));
  const output = new Uint8Array(size);
  const distances = [0, 0, 0, 0];
  let state = 0, done = 0;

  function literal() {
    const before = done > 0 ? output[done - 1] : 0;
    const place = LITERALS + 0x300 * (before >> 8 - LITERAL_BITS);
    let node = 1;
    if (state >= 7) {
      let matched = output[done - distances[0] - 1];
      while (node < 0x100) {
        const expected = matched >> 7 & 1;
        matched <<= 1;
        const one = bit(place + (1 + expected << 8) + node);
        node = node << 1 | one;
        if (one !== expected) break;
      }
    }
    while (node < 0x100) node = node << 1 | bit(place + node);
    output[done++] = node;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  function length(place) {
    if (!bit(place)) return tree(place + 2, 3) + 2;
    if (!bit(place + 1)) return tree(place + 10, 3) + 10;
    return tree(place + 18, 8) + 18;
  }

  function distance(long) {
    const slot = tree(SLOTS + 64 * Math.min(long - 2, 3), 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const high = (2 | slot & 1) << count;
    if (slot < 14) return high + reversed(PLACES + high - slot, count);
    return high + direct(count - 4) * 16 + reversed(ALIGN, 4);
  }

  // Which of the last distances is taken again.
  function repeated() {
    const which = !bit(IS_REPEAT_1 + state) ? 1 : !bit(IS_REPEAT_2 + state) ? 2 : 3;
    distances.unshift(...distances.splice(which, 1));
  }

  while (done < size) {
    if (!bit(IS_MATCH + state)) {
      literal();
      continue;
    }
    let long;
    if (!bit(IS_REPEAT + state)) {
      long = length(LENGTH);
      state = state < 7 ? 7 : 10;
      distances.unshift(distance(long));
      distances.pop();
    } else {
      const isOther = bit(IS_REPEAT_0 + state);
      const isShort = !isOther && !bit(IS_LONG + state);
      if (isOther) repeated();
      long = isShort ? 1 : length(REPEATED_LENGTH);
      state = isShort ? (state < 7 ? 9 : 11) : (state < 7 ? 8 : 11);
    }
    for (const end = Math.min(done + long, size); done < end; done++) {
      output[done] = output[done - distances[0] - 1];
    }
  }
  return output;
}
