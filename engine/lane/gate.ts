/**
 * Lets a lane that suspects a message of killing the process run its turn while no other lane of the process runs one:
 * only then is a death pinned on the right message.
 */
export class TurnGate {
  private closed: Promise<void> | undefined
  private open: () => void = () => {}

  /** Resolves when turns may run. What follows it must run them without another await. */
  async pass(): Promise<void> {
    while (this.closed) await this.closed
  }

  /** Closes the gate for everyone else; call `leave` after. */
  async enter(): Promise<void> {
    while (this.closed) await this.closed
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.open = resolve
  }

  leave(): void {
    this.closed = undefined
    this.open()
  }
}
