/**
 * A plot of lines over time that shows the values under the pointer.
 * lines: [{ name, key, colour, area }]; points: [{ at, … }]; show: formats a value; whole: counts only.
 */
function plot(title, lines, points, options) {
  const box = boxOf(720, 210);
  const hidden = new Set();
  const figure = el("figure.plot.card");
  const draw = () => {
    const shown = lines.filter((line) => !hidden.has(line.name));
    figure.replaceChildren(
      el("figcaption", {}, el("h2", {}, title), keysOf(lines, hidden, draw)),
      canvas(box, shown, points, options));
  };
  draw();
  return figure;
}

/** Returns the dimensions of a picture, narrower in a narrow window. */
function boxOf(width, height) {
  const isNarrow = window.innerWidth < 640;
  return { width: isNarrow ? 400 : width, height, left: 58, right: 16, top: 10, bottom: 24 };
}

/** Returns the dimensions of the plot area. */
function innerOf(box) {
  return { width: box.width - box.left - box.right, height: box.height - box.top - box.bottom };
}

/** A horizontal grid line at a value, with its label. */
function rung(box, y, text) {
  return [svg("line.grid", { x1: box.left, x2: box.width - box.right, y1: y, y2: y }),
    svg("text.tick", { x: box.left - 8, y: y + 4, "text-anchor": "end" }, text)];
}

/** Returns the SVG path through some points. */
function strokeOf(places) {
  return places.map(([x, y], index) =>
    `${index ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** The legend; a click hides a line. */
function keysOf(lines, hidden, draw) {
  return el("div.keys", {}, lines.map((line) => el("button.curve", {
    type: "button", "aria-pressed": String(!hidden.has(line.name)), click: (event) => {
      if (!hidden.delete(line.name)) hidden.add(line.name);
      const index = [...event.currentTarget.parentNode.children].indexOf(event.currentTarget);
      const figure = event.currentTarget.closest("figure");
      draw();
      figure.querySelectorAll(".keys button")[index].focus();
    },
  }, el("span.swatch", { style: { background: line.colour } }), line.name)));
}

function canvas(box, lines, points, options) {
  const inner = innerOf(box);
  const end = Math.max(1, ...points.map((point) => point.at));
  const values = points.flatMap((point) => lines.map((line) => point[line.key] || 0));
  const most = niceTop(Math.max(options.least || 0, ...values));
  const x = (at) => box.left + (at / end) * inner.width;
  const y = (value) => box.top + inner.height * (1 - value / most);
  const picture = svg("svg", {
    viewBox: `0 0 ${box.width} ${box.height}`, role: "img",
    "aria-label": spoken(lines, points, options),
  });
  const isShown = (value) => !options.whole || Number.isInteger(value);
  for (const value of ticks(most, 4).concat(most).filter(isShown)) {
    picture.append(...rung(box, y(value), options.show(value)));
  }
  // The end has a label; one close before it would overlap.
  const times = ticks(end, 6).filter((tick) => tick % 1000 === 0 && tick < end * 0.92);
  for (const at of end % 1000 ? times : times.concat(end)) {
    picture.append(svg("text.tick", { x: x(at), y: box.height - 6, "text-anchor": "middle" },
      clock(at)));
  }
  for (const line of lines) {
    const path = strokeOf(points.map((point) => [x(point.at), y(point[line.key] || 0)]));
    if (line.area) {
      picture.append(svg("path.area", { fill: line.colour,
        d: `${path}L${x(points[points.length - 1].at)} ${y(0)}L${x(points[0].at)} ${y(0)}z` }));
    }
    picture.append(svg("path.line", { d: path, stroke: line.colour }));
    if (points.length === 1) {
      picture.append(svg("circle", { cx: x(points[0].at), cy: y(points[0][line.key] || 0), r: 3,
        fill: line.colour }));
    }
  }
  const space = { box, lines, points, x, end, inner };
  return el("div.canvas", {}, picture, follower(picture, space, options));
}

/** Shows the values under the pointer, or at the position moved to with the arrow keys. */
function follower(picture, space, options) {
  const told = el("div.told", { hidden: true });
  const line = svg("line.cursor", { y1: space.box.top, y2: space.box.height - space.box.bottom });
  picture.append(line);
  let index = -1;
  const show = (next) => {
    index = Math.max(0, Math.min(space.points.length - 1, next));
    const point = space.points[index];
    const x = space.x(point.at);
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.classList.add("shown");
    told.hidden = false;
    const share = x / space.box.width;
    told.style.setProperty("left", share < 0.6 ? `${share * 100 + 1.5}%` : "auto");
    told.style.setProperty("right", share < 0.6 ? "auto" : `${(1 - share) * 100 + 1.5}%`);
    told.replaceChildren(el("b", {}, clock(point.at)), ...space.lines.map((one) => el("span", {},
      el("span.swatch", { style: { background: one.colour } }), `${one.name} `,
      el("b.num", {}, options.show(point[one.key] || 0)))));
  };
  const hide = () => { told.hidden = true; line.classList.remove("shown"); };
  picture.setAttribute("tabindex", "0");
  picture.addEventListener("pointermove", (event) => {
    const frame = picture.getBoundingClientRect();
    const at = (((event.clientX - frame.left) / frame.width) * space.box.width - space.box.left)
      / space.inner.width * space.end;
    show(nearest(space.points, at));
  });
  picture.addEventListener("pointerleave", hide);
  picture.addEventListener("blur", hide);
  picture.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    show(index + step);
    event.preventDefault();
  });
  return told;
}

function nearest(points, at) {
  let best = 0;
  points.forEach((point, index) => {
    if (Math.abs(point.at - at) < Math.abs(points[best].at - at)) best = index;
  });
  return best;
}

/** Describes the plot for screen readers. */
function spoken(lines, points, options) {
  return lines.map((line) => {
    const values = points.map((point) => point[line.key] || 0);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    return `${line.name}: from ${options.show(least)} to ${options.show(most)}`;
  }).join("; ");
}

/** Returns a round number that is at least the largest value. */
function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((digit) => digit * power)
    .find((one) => one >= value * 0.999);
}

/** Formats milliseconds since the start as minutes and seconds. */
function clock(ms) {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/**
 * The distribution of latencies: a curve over percentiles, whose axis grows with the number of nines.
 * bars: [[up to ms, count], …].
 */
function spread(curves) {
  const box = boxOf(window.innerWidth < 1100 ? 720 : 1440, 250);
  const marks = [0, 50, 90, 99, 99.9, 99.99];
  const nines = (percent) => Math.log10(100 / Math.max(100 - percent, 0.01));
  const most = niceTop(Math.max(...curves.map((curve) => curve.points.at(-1)[1])));
  const inner = innerOf(box);
  const x = (percent) => box.left + (nines(percent) / 4) * inner.width;
  const y = (ms) => box.top + inner.height * (1 - ms / most);
  const picture = svg("svg", { viewBox: `0 0 ${box.width} ${box.height}`, role: "img",
    "aria-label": "Latency by percentile; the table below has the numbers" });
  for (const value of ticks(most, 4).concat(most)) {
    picture.append(...rung(box, y(value), value ? duration(value) : "0"));
  }
  for (const percent of marks) {
    picture.append(svg("line.grid", {
      x1: x(percent), x2: x(percent), y1: box.top, y2: box.height - box.bottom,
    }), svg("text.tick", {
      x: x(percent), y: box.height - 6, "text-anchor": percent > 99.9 ? "end" : "middle",
    }, `${percent} %`));
  }
  for (const curve of curves) {
    picture.append(svg("path.line", {
      d: strokeOf(curve.points.map(([percent, ms]) => [x(percent), y(ms)])), stroke: curve.colour,
    }, svg("title", {}, curve.name)));
  }
  return picture;
}

/** Returns percentile and milliseconds of each bar. */
function percentiles(bars) {
  const total = bars.reduce((sum, [, number]) => sum + number, 0);
  let below = 0;
  return bars.map(([ms, number]) => {
    below += number;
    return [Math.min((below / total) * 100, 99.99), ms];
  });
}
