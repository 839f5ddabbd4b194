/** Packs many envelopes into few stream messages, because most of the cost is per message, not per byte. */
import { createHash } from 'node:crypto'

/** Limits of one message. */
const packMax = 500
const packBytesMax = 262_144

/** Groups the bodies of `items`, in order, into arrays; a single body stays as it is. */
export class Pack<T> {
  readonly items: T[] = []
  private readonly bodies: string[] = []
  private bytes = 0

  hasRoom(body: string): boolean {
    return this.items.length < packMax && this.bytes + body.length <= packBytesMax
  }

  add(item: T, body: string): void {
    this.items.push(item)
    this.bodies.push(body)
    // Characters, not bytes: bodies are mostly ASCII, and the limit is far below the server's.
    this.bytes += body.length + 1
  }

  get body(): string {
    return this.bodies.length === 1 ? this.bodies[0]! : `[${this.bodies.join(',')}]`
  }
}

/** The id of the message that contains these: the same ids give the same id. */
export const packId = (ids: readonly string[]): string =>
  ids.length === 1 ? ids[0]! : `pack-${createHash('sha256').update(ids.join('\0')).digest('base64url').slice(0, 32)}`
