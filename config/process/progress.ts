/**
 * Shows progress of long work on stderr: in a terminal one line that is overwritten, elsewhere a line from time to
 * time.
 */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY === true
  private readonly pauseMs = this.isTerminal ? 100 : 10_000
  private shownMs = performance.now()

  step(text: string): void {
    if (performance.now() - this.shownMs < this.pauseMs) return
    this.shownMs = performance.now()
    process.stderr.write(this.isTerminal ? `\r\u001B[K${text}` : `${text}\n`)
  }

  done(text: string): void {
    process.stderr.write(`${this.isTerminal ? '\r\u001B[K' : ''}${text}\n`)
  }
}
