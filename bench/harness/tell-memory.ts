/** Loaded into an engine process before the product: tells the benchmark once a second what V8 holds there. */
const tell = (): void => {
  if (process.connected) process.send?.(process.memoryUsage())
}
setInterval(tell, 1000).unref()
