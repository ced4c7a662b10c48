"""Opens a report in a browser as a reader does: drags its slider, turns a view, plays the motion, and reads values and pixels.

Usage: page_test.py KURBEL INPUT
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.select import Select
    from selenium.webdriver.support.wait import WebDriverWait
except ImportError:
    print("Selenium is not installed (python3-selenium)")
    sys.exit(77)


def browser():
    options = webdriver.ChromeOptions()
    for argument in ("--headless=new", "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader",
                     "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--window-size=1200,1000"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        return webdriver.Chrome(options=options)
    except WebDriverException as error:
        print("there is no browser (chromium, chromium-driver):", error.msg)
        sys.exit(77)


def check(holds, what):
    print("ok  " if holds else "FAIL", what)
    if not holds:
        sys.exit(1)


class Page:
    def __init__(self, driver, file):
        self.driver = driver
        driver.get(file.as_uri())
        WebDriverWait(driver, 60).until(lambda d: d.execute_script("return document.readyState == 'complete' && !!window.kurbel"))

    def view(self, name):
        return self.driver.execute_script("return kurbel.views[arguments[0]].parent.parentElement", name)

    def pixels(self, name):
        return self.driver.execute_script("return kurbel.views[arguments[0]].renderer.domElement.toDataURL()", name)

    def part(self, name, selector):
        found = self.view(name).find_element(By.CSS_SELECTOR, selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", found)
        return found

    def drag(self, found, dx, dy=0):
        ActionChains(self.driver).click_and_hold(found).move_by_offset(dx, dy).release().perform()


def look_at(page, run):
    last = page.pixels("0.design.crank")
    slider = page.part("0.design.crank", "input")
    check(page.part("0.design.crank", "span").text == "result", "the slider begins at the result")
    page.drag(slider, -slider.size["width"] // 2)
    check(page.part("0.design.crank", "span").text.startswith("iteration"), "dragging the slider shows an iteration")
    check(page.pixels("0.design.crank") != last, "its density is another picture")

    before, angle = page.pixels("0.motion"), "return kurbel.views['0.motion'].azimuth"
    azimuth = page.driver.execute_script(angle)
    page.drag(page.part("0.motion", "canvas"), 80, 30)
    check(abs(page.driver.execute_script(angle) - azimuth) > 0.5, "dragging turns the mechanism")
    check(page.pixels("0.motion") != before, "turned, it is another picture")

    before = page.pixels("0.motion")
    page.part("0.motion", "button").click()
    time.sleep(1.5)
    check(float(page.part("0.motion", "span").text.split()[0]) > 0.0, "playing moves the time on")
    check(page.pixels("0.motion") != before, "and the mechanism")

    before = page.pixels("0.modes.crank")
    page.part("0.modes.crank", "button").click()
    time.sleep(0.8)
    check(page.pixels("0.modes.crank") != before, "modes move")

    curve = page.driver.execute_script("return kurbel.charts['0.convergence'].data.datasets[0].data.map((p) => p.y)")
    check(abs(min(curve) - run["psi"]) < 1e-6 * run["psi"], "the curve ends at the objective of the run")
    times = page.driver.execute_script("return kurbel.charts['0.times'].data.datasets.map((s) => s.data.length)")
    check(len(times) == 4 and min(times) > 20, "energies run over time")
    check("integral of compliance of crank" in page.driver.page_source, "the problem is there in words")


RESPONSE = """analysis = "frequency-response"
formulation = "natural-coordinates"
frequency_response = { from = 0.5, to = 5.0, points = 91 }
bodies.mass = { type = "point", mass = 2.0, free = ["x"] }
bodies.other = { type = "point", mass = 1.0, free = ["x"], initial.position = [0.5, 0.0, 0.0] }
springs.coil = { law = "linear", from = "ground", to = "mass", stiffness = 500.0, damping = 3.0 }
springs.link = { from = "mass", to = "other", stiffness = 300.0, free_length = 0.5 }
loads.push = { marker = "mass", force = [{ type = "harmonic", amplitude = 4.0 }, 0.0, 0.0] }
outputs.place = { type = "position", marker = "mass", axes = ["x"] }
"""


def look_at_response(driver, kurbel, folder):
    run, problem = folder / "response", folder / "response.toml"
    problem.write_text(RESPONSE)
    subprocess.run([kurbel, "simulate", problem, "-o", run, "--quiet"], check=True)
    subprocess.run([kurbel, "report", run], check=True)
    page = Page(driver, run / "report.html")
    curves = driver.execute_script("return kurbel.charts['0.curves'].data.datasets.map((s) => s.data.length)")
    check(curves and min(curves) == 91, "the response is a curve over frequency")
    titles = [option.text for option in page.view("0.motion").find_elements(By.CSS_SELECTOR, "option")]
    check(len(titles) == 2 and all(title.endswith(" Hz") for title in titles), f"both modes can be chosen: {titles}")
    before = page.pixels("0.motion")
    driver.execute_script("const s = arguments[0]; s.value = 1; s.dispatchEvent(new Event('change'))", page.part("0.motion", "select"))
    driver.execute_script("const s = arguments[0]; s.value = 8; s.dispatchEvent(new Event('input'))", page.part("0.motion", "input"))
    check(page.pixels("0.motion") != before, "the other mode is another picture")
    check("damping ratio" in driver.page_source, "the table of modes is there")


def look_at_statics(driver, kurbel, folder, problem):
    run = folder / "static"
    subprocess.run([kurbel, "optimize", problem, "-o", run, "--quiet", "--set", "optimizer.stop.iterations=3"], check=True)
    subprocess.run([kurbel, "report", run], check=True)
    page = Page(driver, run / "report.html")
    name = driver.execute_script("return Object.keys(kurbel.views).find((key) => key.startsWith('0.modes.'))")
    check(page.part(name, "option").text.startswith("displacement, at most"), "displacements are shown with the largest one")
    check(driver.execute_script("return Object.keys(kurbel.views).some((key) => key.startsWith('0.stress.'))"), "and stresses")


STUDY = """problem = "problem.toml"
[study]
"constraints.volume_fraction" = [0.3, 0.45, 0.6]
"optimizer.method" = ["mma", "no such method"]
"""
COARSE = """include = "{}"
bodies.crank.mesh.divisions = [40, 8]
bodies.crank.regions.bearing.x = [0.19, 0.2]
filter.radius = 0.01
integrator.step = 1e-2
optimizer.stop.iterations = 5
"""


def choose(driver, axis, label):
    Select(driver.find_element(By.ID, axis)).select_by_visible_text(label)


def look_at_study(driver, kurbel, folder, problem):
    (folder / "problem.toml").write_text(COARSE.format(problem))
    (folder / "study.toml").write_text(STUDY)
    subprocess.run([kurbel, "study", folder / "study.toml", "-o", folder / "study"], stdout=subprocess.DEVNULL)
    Page(driver, folder / "study/study.html")
    points = "return kurbel.chart.data.datasets.map((set) => set.data.map((p) => [p.x, p.y]))"
    chosen = driver.execute_script(points)
    check([x for x, _ in chosen[0]] == [0.3, 0.45, 0.6] and not chosen[1], f"psi over the first key, without failed variants: {chosen}")
    choose(driver, "x", "volume_fraction")
    variants, front = driver.execute_script(points)
    check(sorted(front) == sorted(variants) and len(front) == 3, f"more material is stiffer: all are on the Pareto front: {front}")
    rows = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "td.fronts")]
    check(rows == ["psi, volume_fraction", ""] * 3, f"the table names them: {rows}")
    choose(driver, "x", "mass")
    check(driver.execute_script(points)[1] == [], "mass has no bound and no front")
    circles = len(driver.find_elements(By.CSS_SELECTOR, "svg circle"))
    check(circles > 0 and circles % 3 == 0 and driver.find_elements(By.CSS_SELECTOR, "svg polyline"), f"the matrix is there: {circles} points")
    check(len(driver.find_elements(By.CSS_SELECTOR, "img")) == 3, "shapes are side by side")


def look_at_network(driver):
    own = ("file:", "data:", "blob:", "chrome", "devtools", "about:")
    requests = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [r["params"]["request"]["url"] for r in requests if r["method"] == "Network.requestWillBeSent"]
    left = [url for url in urls if not url.startswith(own)]
    check(urls and not left, f"no request leaves: {left}")
    errors = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    check(not errors, f"the script has no errors: {errors}")


def main():
    kurbel, problem = sys.argv[1:3]
    driver = browser()
    try:
        with tempfile.TemporaryDirectory() as folder:
            run, numbers = pathlib.Path(folder) / "run", pathlib.Path(folder) / "run.json"
            subprocess.run([kurbel, "optimize", problem, "-o", run, "--json", numbers, "--quiet",
                            "--set", "bodies.crank.mesh.divisions=[40,8]", "--set", "filter.radius=0.01",
                            "--set", "bodies.crank.regions.bearing.x=[0.19,0.2]", "--set", "integrator.step=1e-2",
                            "--set", "optimizer.stop.iterations=20", "--set", "projection.beta_interval=5",
                            "--set", "projection.beta_max=8"], check=True)
            subprocess.run([kurbel, "report", run], check=True)
            page = run / "report.html"
            check(page.stat().st_size < 5e6, "the page is below 5 MB")
            look_at(Page(driver, page), json.loads(numbers.read_text()))
            look_at_network(driver)

            both = pathlib.Path(folder) / "both.html"
            subprocess.run([kurbel, "report", run, run, "-o", both], check=True)
            Page(driver, both)
            n = driver.execute_script("return kurbel.charts['both.convergence'].data.datasets.length")
            check(n == 2, "two runs are two curves")
            look_at_response(driver, kurbel, pathlib.Path(folder))
            look_at_statics(driver, kurbel, pathlib.Path(folder), pathlib.Path(problem).parents[1] / "validation/mbb_beam.toml")
            look_at_study(driver, kurbel, pathlib.Path(folder), problem)
            look_at_network(driver)
    finally:
        driver.quit()


main()
