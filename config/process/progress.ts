/** One line on stderr that says how far long work has come; nothing when stderr is no terminal, but for the end. */
export class Progress {
  private shown = 0
  private readonly isShown = process.stderr.isTTY === true

  step(text: string): void {
    if (!this.isShown || performance.now() - this.shown < 100) return
    this.shown = performance.now()
    process.stderr.write(`\r\u001B[K${text}`)
  }

  done(text: string): void {
    process.stderr.write(`${this.isShown ? '\r\u001B[K' : ''}${text}\n`)
  }
}
