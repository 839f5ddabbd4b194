/** Connections other than HTTP to addresses given by customers, for clients that bring their own protocol. */
import { Socket } from 'node:net'
import { lookupOf, outsideAddresses, type OutsideRequest } from '#streams/delivery/outbound.ts'

export interface OutsideConnection {
  /** Allows any address. */
  allowPrivate: boolean
  /** Returns all addresses of a name; the system's resolver by default. */
  resolve?: OutsideRequest['resolve']
}

/** Connects only to an address that `check` has found. */
export class OutsideSocket extends Socket {
  private addresses: Awaited<ReturnType<typeof outsideAddresses>> = []

  /** @throws Fault as `fetchOutside` */
  async check(host: string, { allowPrivate, resolve }: OutsideConnection): Promise<void> {
    this.addresses = await outsideAddresses(host, { allowPrivate, ...(resolve && { resolve }) })
  }

  /** As `net.Socket`, with a port and a name. */
  override connect(...[port, host]: unknown[]): this {
    return super.connect({ port: Number(port), host: String(host), lookup: lookupOf(this.addresses) })
  }
}
