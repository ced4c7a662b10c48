"use strict";
// Points of the variants over any key or function: objective over a parameter, or one function over another (Pareto front).

const study = JSON.parse(document.getElementById("data").textContent);
const page = (window.kurbel = {});
const select = (name) => document.getElementById(name);
const axes = study.axes.filter((axis) => axis.values.some((value) => value !== null));

function frontOf(x, y) {
  const front = study.fronts.find((one) => (one.x === x.name && one.y === y.name) || (one.x === y.name && one.y === x.name));
  return (front ? front.variants : []).map((i) => ({ x: x.values[i], y: y.values[i], row: study.rows[i] }));
}

// Texts stand at the whole numbers that count them.
function scaleOf(axis) {
  const texts = axis.categories.length ? { stepSize: 1, callback: (value) => axis.categories[value] ?? "" } : {};
  return { type: axis.logarithmic ? "logarithmic" : "linear", title: { display: true, text: axis.label }, ticks: texts };
}

function show() {
  const [x, y, color] = ["x", "y", "color"].map((name) => axes[select(name).value]);
  const colors = color.values.filter((value) => value !== null);
  const low = Math.min(...colors), range = Math.max(...colors) - low || 1;
  const points = study.rows.map((row, i) => ({ x: x.values[i], y: y.values[i], row, c: color.values[i] }))
    .filter((point) => point.x !== null && point.y !== null);
  const shade = (point) => (point.c === null ? "#999" : `hsl(${230 - (230 * (point.c - low)) / range} 65% 48%)`);
  if (page.chart) page.chart.destroy();
  page.chart = new Chart(select("chart"), {
    type: "scatter",
    data: { datasets: [{ data: points, pointRadius: 5, borderColor: points.map(shade),
                         backgroundColor: points.map((point) => (point.row.violated ? "transparent" : shade(point))) },
                       { data: frontOf(x, y), showLine: true, pointRadius: 0, borderColor: "#d9772b" }] },
    options: {
      animation: false, maintainAspectRatio: false,
      plugins: { legend: { display: false },
                 tooltip: { callbacks: { label: ({ raw }) => `${raw.row.variant}: ${raw.x.toPrecision(5)}, ${raw.y.toPrecision(6)}` } } },
      scales: { x: scaleOf(x), y: scaleOf(y) },
    },
  });
}

for (const [name, chosen] of [["x", 0], ["y", axes.findIndex((axis) => axis.name === study.axes[study.n_keys]?.name)],
                              ["color", Math.min(1, study.n_keys - 1)]]) {
  axes.forEach((axis, i) => select(name).append(new Option(axis.label, i, false, i === chosen)));
  select(name).addEventListener("change", show);
}
if (axes.length) show();
