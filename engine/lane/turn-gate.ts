/**
 * Lets a lane that suspects a message of killing the process run its turn while no other lane of the process runs one.
 * Only then can a death be attributed to that message.
 */
export class TurnGate {
  private closed: Promise<void> | undefined
  private open: () => void = () => {}

  /** Resolves when turns may run. The caller must run them without another await. */
  async pass(): Promise<void> {
    while (this.closed) await this.closed
  }

  /** Closes the gate for all others; call `leave` afterwards. */
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
