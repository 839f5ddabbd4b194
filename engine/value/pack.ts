/** Envelopes of many rows as few log messages: what a message costs is mostly the message, not what it carries. */
import { createHash } from 'node:crypto'

/** What one message carries at most. */
const packMax = 500
const packBytesMax = 262_144

/** The bodies of `items`, in order, as arrays of them; one that is by itself as it is. */
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
    // Characters: a body is mostly of one byte each, and the bound is far below the server's.
    this.bytes += body.length + 1
  }

  get body(): string {
    return this.bodies.length === 1 ? this.bodies[0]! : `[${this.bodies.join(',')}]`
  }
}

/** Names the message that carries these: the same ones again have the same name. */
export const packId = (ids: readonly string[]): string =>
  ids.length === 1 ? ids[0]! : `pack-${createHash('sha256').update(ids.join('\0')).digest('base64url').slice(0, 32)}`
