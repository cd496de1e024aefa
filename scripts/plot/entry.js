// What the page's charts use of Observable Plot; esbuild leaves the rest out.
export { axisX, axisY, barX, dot, gridX, gridY, line, plot, ruleX, ruleY, stackX, text, tickX } from "@observablehq/plot";
