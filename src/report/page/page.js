"use strict";
// What moves on the page: views of the design, its modes and the mechanism, and curves. All numbers are in the element #data.

const palette = ["#2f6db5", "#d9772b", "#3f9b5b", "#a04fa6", "#b33a3a", "#8a7a2f", "#4aa3a8", "#6b6f76"];
const runs = JSON.parse(document.getElementById("data").textContent).runs;
const page = (window.kurbel = { views: {}, charts: {} });  // for whoever looks at the page by a program

function bufferOf(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

// Numbers as report/packed.hpp writes them.
function unpack(packed) {
  const buffer = bufferOf(packed.data);
  if (packed.type === "f32") return new Float32Array(buffer);
  if (packed.type === "u32") return new Uint32Array(buffer);
  const [numbers, largest] = packed.type === "u8" ? [new Uint8Array(buffer), 255] : [new Uint16Array(buffer), 65535];
  return Float32Array.from(numbers, (number) => packed.low + (packed.size * number) / largest);
}

function element(tag, options = {}, ...children) {
  const made = Object.assign(document.createElement(tag), options);
  made.append(...children);
  return made;
}

// A scene that one turns by dragging, moves with the right button or Shift, and enlarges with the wheel.
class View {
  constructor(parent, name) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setClearColor(0xffffff);
    parent.append(this.renderer.domElement);
    this.parent = parent;
    this.scene = new THREE.Scene();
    this.scene.add(new THREE.AmbientLight(0xffffff, 0.55));
    this.camera = new THREE.PerspectiveCamera(30, 1, 1e-6, 1e6);
    const lamp = new THREE.DirectionalLight(0xffffff, 0.6);
    lamp.position.set(0.4, 0.6, 1);
    this.camera.add(lamp);
    this.scene.add(this.camera);
    this.target = new THREE.Vector3();
    this.azimuth = 0;
    this.elevation = 0;
    this.distance = 1;
    this.listen();
    page.views[name] = this;
    new ResizeObserver(() => (this.box ? this.refit() : this.draw())).observe(parent);
  }

  // Shows all of a box, and goes on to as its place on the page changes, until somebody turns it: a flat one from in front,
  // others from the side and above.
  fit(low, high) {
    this.box = [low, high];
    const size = [0, 1, 2].map((d) => high[d] - low[d]);
    if (this.up === "z" || size[2] > 0.05 * Math.max(size[0], size[1])) [this.azimuth, this.elevation] = [-0.5, 0.35];
    this.refit();
  }

  refit() {
    const [low, high] = this.box, tangent = Math.tan((15 * Math.PI) / 180);
    this.target.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
    this.distance = 1;
    this.place();
    const aspect = this.parent.clientWidth / Math.max(1, this.parent.clientHeight);
    const turn = this.camera.quaternion.clone().conjugate();
    let distance = 0;
    for (let corner = 0; corner < 8; ++corner) {
      const at = [0, 1, 2].map((d) => ((corner >> d) & 1 ? high[d] : low[d]));
      const seen = new THREE.Vector3(...at).sub(this.target).applyQuaternion(turn);
      distance = Math.max(distance, seen.z + Math.max(Math.abs(seen.y), Math.abs(seen.x) / aspect) / tangent);
    }
    this.distance = 1.08 * distance;
    this.draw();
  }

  listen() {
    const canvas = this.renderer.domElement;
    let last = null;
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
      last = event;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointerup", () => (last = null));
    canvas.addEventListener("pointermove", (event) => {
      if (!last) return;
      const dx = event.clientX - last.clientX, dy = event.clientY - last.clientY;
      if (event.buttons === 2 || event.shiftKey) {
        const right = new THREE.Vector3(1, 0, 0).applyQuaternion(this.camera.quaternion);
        const up = new THREE.Vector3(0, 1, 0).applyQuaternion(this.camera.quaternion);
        const pixel = (0.54 * this.distance) / canvas.clientHeight;
        this.target.addScaledVector(right, -dx * pixel).addScaledVector(up, dy * pixel);
      } else {
        this.azimuth -= 0.01 * dx;
        this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + 0.01 * dy));
      }
      last = event;
      this.box = null;
      this.draw();
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.box = null;
      this.distance *= Math.exp(0.001 * event.deltaY);
      this.draw();
    }, { passive: false });
  }

  place() {
    const [a, e] = [this.azimuth, this.elevation];
    const [aside, ahead, above] = [Math.sin(a) * Math.cos(e), Math.cos(a) * Math.cos(e), Math.sin(e)];
    if (this.up === "z") {
      this.camera.up.set(0, 0, 1);
      this.camera.position.set(aside, -ahead, above);
    } else {
      this.camera.position.set(aside, above, ahead);
    }
    this.camera.position.multiplyScalar(this.distance).add(this.target);
    this.camera.lookAt(this.target);
    this.camera.updateMatrixWorld();
  }

  draw() {
    const width = this.parent.clientWidth, height = this.parent.clientHeight;
    if (!width || !height) return;
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.near = 0.01 * this.distance;
    this.camera.far = 100 * this.distance;
    this.camera.updateProjectionMatrix();
    this.place();
    this.renderer.render(this.scene, this.camera);
  }
}

function boxOf(points) {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let i = 0; i < points.length; ++i) {
    low[i % 3] = Math.min(low[i % 3], points[i]);
    high[i % 3] = Math.max(high[i % 3], points[i]);
  }
  return [low, high];
}

// A designed body: its cells as triangles, coloured by a number per cell.
class Body {
  constructor(data) {
    this.flat = data.flat;
    this.points = unpack(data.points);
    this.triangles = unpack(data.triangles);
    this.cells = Int32Array.from(unpack(data.cells));  // pairs: the cell of a triangle, and the one beyond it or -1
  }

  mesh() {
    const material = this.flat
      ? new THREE.MeshBasicMaterial({ vertexColors: THREE.VertexColors, side: THREE.DoubleSide })
      : new THREE.MeshPhongMaterial({ vertexColors: THREE.VertexColors, side: THREE.DoubleSide, flatShading: true, shininess: 5 });
    return new THREE.Mesh(new THREE.BufferGeometry(), material);
  }

  // Triangles between what is solid and what is not; of a flat body all, or with `solid` those of solid cells.
  shown(density, solid) {
    const inside = (cell) => cell >= 0 && density[cell] >= 0.5, shown = [];
    for (let t = 0; t < this.triangles.length / 3; ++t) {
      const [a, b] = [inside(this.cells[2 * t]), inside(this.cells[2 * t + 1])];
      if (this.flat ? a || !solid : a !== b) shown.push(t);
    }
    return shown;
  }

  // @param color  of a cell, [red, green, blue] from 0 to 1
  // @param points  where the points are; may be displaced
  paint(mesh, density, color, solid = false, points = this.points) {
    const shown = this.shown(density, solid);
    const positions = new Float32Array(9 * shown.length), colors = new Float32Array(9 * shown.length);
    shown.forEach((t, k) => {
      const a = this.cells[2 * t], b = this.cells[2 * t + 1];
      const rgb = color(this.flat || (a >= 0 && density[a] >= 0.5) ? a : b);
      for (let corner = 0; corner < 3; ++corner) {
        for (let d = 0; d < 3; ++d) {
          positions[9 * k + 3 * corner + d] = points[3 * this.triangles[3 * t + corner] + d];
          colors[9 * k + 3 * corner + d] = rgb[d];
        }
      }
    });
    mesh.geometry.dispose();
    mesh.geometry = new THREE.BufferGeometry();
    mesh.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    mesh.geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
    mesh.geometry.computeVertexNormals();
    mesh.frustumCulled = false;
  }
}

const steel = [0.36, 0.48, 0.62];

// Blue below zero, red above, by the fourth root of the size: gradients differ by orders of magnitude.
function signedColor(value, largest) {
  const share = Math.sqrt(Math.sqrt(Math.min(1, Math.abs(value) / (largest || 1))));
  return value < 0 ? [1 - share, 1 - 0.7 * share, 1] : [1, 1 - 0.7 * share, 1 - share];
}

function viewOf(grid, title, name, low = false) {
  const canvas = element("div", { className: low ? "canvas low" : "canvas" });
  const controls = element("div", { className: "controls" });
  grid.append(element("div", { className: "view" }, element("h3", { textContent: title }), canvas, controls));
  return { view: new View(canvas, name), controls };
}

function showDesign(grid, run, data) {
  const body = new Body(data), [low, high] = boxOf(body.points);
  const densities = data.densities.map((one) => ({ iteration: one.iteration, values: unpack(one.values) }));
  const result = densities[densities.length - 1].values;
  const { view, controls } = viewOf(grid, `Body ${data.name}: density by iteration`, `${run}.design.${data.name}`, body.flat);
  const mesh = body.mesh();
  view.scene.add(mesh);
  const slider = element("input", { type: "range", min: 0, max: densities.length - 1, value: densities.length - 1 });
  const label = element("span");
  const show = () => {
    const { iteration, values } = densities[slider.value];
    label.textContent = iteration === "result" ? "result" : `iteration ${iteration}`;
    body.paint(mesh, values, body.flat ? (cell) => Array(3).fill(1 - values[cell]) : () => steel);
    view.draw();
  };
  slider.addEventListener("input", show);
  controls.append(slider, label);
  show();
  view.fit(low, high);
  if (data.cut) {
    const other = viewOf(grid, "Cut to solid and void", `${run}.cut.${data.name}`, body.flat);
    const cut = unpack(data.cut), own = body.mesh();
    body.paint(own, cut, body.flat ? (cell) => Array(3).fill(1 - cut[cell]) : () => steel);
    other.view.scene.add(own);
    other.view.fit(low, high);
  }
  if (data.sensitivity) {
    const other = viewOf(grid, "Gradient of psi by the densities: material helps where it is blue",
                         `${run}.gradient.${data.name}`, body.flat);
    const gradient = unpack(data.sensitivity), own = body.mesh();
    const largest = gradient.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    body.paint(own, result, (cell) => signedColor(gradient[cell], largest));
    other.view.scene.add(own);
    other.view.fit(low, high);
  }
  if (data.shapes.length) showShapes(grid, run, data, body, result, low, high);
  if (data.stresses.length) showStresses(grid, run, data, body, result, low, high);
}

// Calls step(seconds since the last call) while it runs.
function player(button, step) {
  let last = null;
  const tick = (now) => {
    if (last === null) return;
    step((now - last) / 1000);
    last = now;
    requestAnimationFrame(tick);
  };
  button.addEventListener("click", () => {
    const runs = last !== null;
    last = runs ? null : performance.now();
    button.textContent = runs ? "Play" : "Pause";
    if (!runs) requestAnimationFrame(tick);
  });
}

function showShapes(grid, run, data, body, density, low, high) {
  const { view, controls } = viewOf(grid, "Shapes of the result", `${run}.modes.${data.name}`, body.flat);
  const shapes = data.shapes.map((one) => unpack(one.shape));
  const size = Math.hypot(...[0, 1, 2].map((d) => high[d] - low[d]));
  const mesh = body.mesh();
  view.scene.add(mesh);
  const select = selectOf(data.shapes);
  const button = element("button", { textContent: "Play" });
  let phase = Math.PI / 2;
  const show = () => {
    const shape = shapes[select.value];
    const largest = shape.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const scale = (0.08 * size * Math.sin(phase)) / (largest || 1);
    body.paint(mesh, density, () => steel, true, body.points.map((x, i) => x + scale * shape[i]));
    view.draw();
  };
  select.addEventListener("change", show);
  player(button, (seconds) => {
    phase += 2 * Math.PI * 0.5 * seconds;
    show();
  });
  controls.append(button, select);
  show();
  view.fit(low, high);
}

// Stresses of the result in its solid cells, from none (light) to the largest (red); grey where no criterion looks.
function showStresses(grid, run, data, body, density, low, high) {
  const { view, controls } = viewOf(grid, "Stress of the result", `${run}.stress.${data.name}`, body.flat);
  const mesh = body.mesh(), select = selectOf(data.stresses), label = element("span");
  view.scene.add(mesh);
  const show = () => {
    const { unit, values } = data.stresses[select.value], stress = unpack(values);
    const largest = stress.reduce((most, value, cell) => (density[cell] >= 0.5 ? Math.max(most, value) : most), 0);
    body.paint(mesh, density, (cell) => {
      if (stress[cell] < 0) return [0.6, 0.6, 0.6];
      const share = Math.min(1, stress[cell] / (largest || 1));
      return [0.92 - 0.1 * share, 0.92 * (1 - share), 0.95 * (1 - share)];
    }, true);
    label.textContent = `largest: ${largest.toPrecision(4)} ${unit}`;
    view.draw();
  };
  select.addEventListener("change", show);
  controls.append(select, label);
  show();
  view.fit(low, high);
}

function selectOf(named) {
  const select = element("select");
  named.forEach((one, k) => select.append(element("option", { value: k, textContent: one.name })));
  return select;
}

// Puts the blocks of a motion into a view; their points move by `positions`.
function blocksIn(view, motion) {
  return motion.blocks.map((data, b) => {
    const positions = new THREE.BufferAttribute(new Float32Array(3 * data.n_points), 3), objects = [];
    const make = (indices, object) => {
      object.geometry.setAttribute("position", positions);
      object.geometry.setIndex(new THREE.BufferAttribute(indices, 1));
      object.frustumCulled = false;
      view.scene.add(object);
      objects.push(object);
    };
    const color = palette[b % palette.length], triangles = unpack(data.triangles), lines = unpack(data.lines);
    if (triangles.length)
      make(triangles, new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshPhongMaterial({ color, side: THREE.DoubleSide, flatShading: true, shininess: 5 })));
    if (lines.length) make(lines, new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color })));
    return { frames: unpack(data.frames), positions, objects };
  });
}

// The motion of the mechanism, of several cases or modes one at a time.
function showMotions(grid, run, { title, up, list }) {
  const { view, controls } = viewOf(grid, title, `${run}.motion`);
  view.parent.parentElement.classList.add("wide");
  view.up = up;
  const select = selectOf(list), slider = element("input", { type: "range", min: 0, step: "any", value: 0 });
  const label = element("span"), button = element("button", { textContent: "Play" });
  let blocks = [], times = [], isLoaded = false;
  const show = () => {
    const at = Math.min(times.length - 1, Math.round(slider.value));
    for (const { frames, positions } of blocks) {
      const n = positions.array.length;
      positions.array.set(frames.subarray(at * n, (at + 1) * n));
      positions.needsUpdate = true;
    }
    label.textContent = `${times[at].toPrecision(3)} s`;
    view.draw();
  };
  const load = () => {
    for (const object of blocks.flatMap((block) => block.objects)) {
      view.scene.remove(object);
      object.geometry.dispose();
      object.material.dispose();
    }
    const motion = list[select.value];
    blocks = blocksIn(view, motion);
    times = motion.times;
    slider.max = times.length - 1;
    slider.value = 0;
    show();
    if (!view.box && isLoaded) return;  // somebody has turned it
    isLoaded = true;
    const boxes = blocks.filter(({ frames }) => frames.length).map(({ frames }) => boxOf(frames));
    const extreme = (side, choose) => [0, 1, 2].map((d) => boxes.map((box) => box[side][d]).reduce((a, b) => choose(a, b)));
    if (boxes.length) view.fit(extreme(0, Math.min), extreme(1, Math.max));
  };
  select.addEventListener("change", load);
  slider.addEventListener("input", show);
  player(button, (seconds) => {
    const frames_per_second = times.length / 8;  // all of it in eight seconds
    slider.value = (Number(slider.value) + seconds * frames_per_second) % times.length;
    show();
  });
  controls.append(button, ...(list.length > 1 ? [select] : []), slider, label);
  load();
}

function chartIn(parent, name, datasets, x, y) {
  const canvas = element("canvas");
  parent.replaceChildren(canvas);
  page.charts[name] = new Chart(canvas, {
    type: "line",
    data: { datasets },
    options: {
      animation: false, parsing: false, maintainAspectRatio: false,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      elements: { point: { radius: 0, hitRadius: 6 }, line: { borderWidth: 1.6 } },
      scales: { x: { type: "linear", title: { display: true, text: x } },
                y: { type: y.logarithmic ? "logarithmic" : "linear", title: { display: true, text: y.text } } },
    },
  });
}

function curve(label, x, y, color, dashed = false) {
  const data = Array.from(x, (value, i) => ({ x: value, y: y[i] }));
  return { label, data, borderColor: color, backgroundColor: color, borderDash: dashed ? [6, 4] : [] };
}

function columnsOf(history) {
  const values = unpack(history.values), columns = {};
  history.columns.forEach((name, c) => (columns[name] = values.subarray(c * history.rows, (c + 1) * history.rows)));
  return columns;
}

function chooser(parent, names, show) {
  const select = element("select"), place = element("div", { className: "chart" });
  names.forEach((name) => select.append(element("option", { textContent: name })));
  select.addEventListener("change", () => show(select.value, place));
  parent.append(element("div", { className: "view" }, element("div", { className: "controls" }, select), place));
  show(select.value, place);
}

// Objective, constraints and other columns of the history of one run or of several, with their bounds.
function showConvergence(parent, name, of) {
  const all = of.filter((run) => run.history).map((run) => ({ run, columns: columnsOf(run.history) }));
  if (!all.length) return;
  const names = Object.keys(all[0].columns).filter((column) => !["iteration", "evaluations"].includes(column));
  chooser(parent, names, (column, place) => {
    const datasets = [];
    let positive = true;
    all.forEach(({ run, columns }, k) => {
      if (!columns[column]) return;
      positive = positive && columns[column].every((value) => value > 0);
      datasets.push(curve(of.length > 1 ? run.name : column, columns.iteration, columns[column], palette[k]));
      const bounds = (run.bounds || {})[column.split(" [")[0]] || {};
      for (const [side, value] of Object.entries(bounds)) {
        const end = columns.iteration[columns.iteration.length - 1];
        datasets.push(curve(`${side} bound`, [0, end], [value, value], "#b33a3a", true));
      }
    });
    chartIn(place, `${name}.convergence`, datasets, "iteration", { text: column, logarithmic: positive });
  });
}

function showCurves(parent, name, times) {
  const t = unpack(times.t), panels = {};
  times.panels.forEach((panel) => (panels[panel.unit ? `${panel.name}, ${panel.unit}` : panel.name] = panel));
  if (!times.panels.length) return;
  chooser(parent, Object.keys(panels), (chosen, place) => {
    const panel = panels[chosen], values = unpack(panel.values);
    const color = (k) => palette[(panel.colors ? panel.colors[k] : k) % palette.length];
    const datasets = panel.rows.map((row, k) => curve(row, t, values.subarray(k * t.length, (k + 1) * t.length), color(k)));
    const logarithmic = times.logarithmic && panel.unit !== "deg" && values.some((value) => value > 0);
    chartIn(place, name, datasets, times.axis, { text: chosen, logarithmic });
  });
}

runs.forEach((run, r) => {
  const place = (what) => document.getElementById(`${what}-${r}`);
  for (const body of run.bodies) showDesign(place("design"), r, body);
  if (run.motion) showMotions(place("motion"), r, run.motion);
  showConvergence(place("convergence"), r, [run]);
  if (run.times) showCurves(place("times"), `${r}.times`, run.times);
  if (run.curves) showCurves(place("curves"), `${r}.curves`, run.curves);
});
if (runs.length > 1) showConvergence(document.getElementById("comparison"), "both", runs);
