/** What servers that stand in for RDS have in common: an administrator, a certificate, and a wire that can be cut. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import type { Caller } from '#streams/cloud/call/call.ts'

export const host = 'shop.abc.us-east-1.rds.amazonaws.com'
export const administrator = { user: 'tidemark_admin', password: randomUUID() }

/** AWS itself has no part in the calls of a server. */
export const notAsked = {} as Caller

export interface FarServer {
  engine: 'postgres' | 'mysql'
  port: number
  /** As the superuser would see it: `database <name>` and `role <name>` of all but the server's own, with their marks. */
  contents: () => Promise<Record<string, string | null>>
  query: (statement: string) => Promise<void>
  /** Whether somebody gets in with these. */
  signIn: (database: string, user: string, password: string) => Promise<boolean>
  /** Gives a role something in another database, and takes it away again. */
  entangle: (role: string) => Promise<() => Promise<void>>
  stop: () => Promise<void>
}

export interface Wire {
  port: number
  /** The connection is cut after the server has answered this message of the client's; 0: never. */
  cutAfter: number
  messages: number
  close: () => void
}

/** A wire to the server that can be cut. */
export async function wireTo(port: number): Promise<Wire> {
  const wire: Wire = { port: 0, cutAfter: 0, messages: 0, close: () => {} }
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    let isCut = false
    near.on('data', (chunk) => {
      isCut ||= ++wire.messages === wire.cutAfter
      far.write(chunk)
    })
    far.on('data', (chunk) => (isCut ? near.destroy() : near.write(chunk)))
    near.on('close', () => far.destroy()).on('error', () => {})
    far.on('close', () => near.destroy()).on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  wire.port = (server.address() as AddressInfo).port
  wire.close = () => void server.close()
  return wire
}

/** Good for a hundred years, and of nobody. */
export const authority = `\
-----BEGIN CERTIFICATE-----
MIIBhDCCASmgAwIBAgIUd7GtP7PQ2eaNKL5HxVESJfexgecwCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLVGVzdCBSRFMgQ0EwIBcNMjYxMTMwMTY0OTIxWhgPMjEyNjEx
MDYxNjQ5MjFaMBYxFDASBgNVBAMMC1Rlc3QgUkRTIENBMFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAERZ8XFQl1JEk0pmVJoBo1olJg0ZhayuYBKGpmZAl+INBgKtBY
Vf6r7yB1b6suyc/nNj+5bFmHYKPm5RbGsA0nH6NTMFEwHQYDVR0OBBYEFDtZMDVg
ojbN5Qpd3sM5xwtqaeWfMB8GA1UdIwQYMBaAFDtZMDVgojbN5Qpd3sM5xwtqaeWf
MA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAIXtbkYlRrIcODMB
w5QsLC/NE1kj2l9k6VJJLjXFI0YlAiEA19SuoiaXCEagdxKXNkeOE3WqEngbl1YA
/wS+FQZqF7c=
-----END CERTIFICATE-----
`

export const certificate = `\
-----BEGIN CERTIFICATE-----
MIIBvTCCAWKgAwIBAgIUCw9CtQtjpnZWwFfVDjTPd2k5cf8wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLVGVzdCBSRFMgQ0EwIBcNMjYxMTMwMTY0OTIxWhgPMjEyNjEx
MDYxNjQ5MjFaMC8xLTArBgNVBAMMJHNob3AuYWJjLnVzLWVhc3QtMS5yZHMuYW1h
em9uYXdzLmNvbTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFl0KVGTGB4xpKM8
7kEHiQaukEy0Boov++xebkZ1j/dkRb4cx2/4Y+ERrmbqYiAt7OGTL8/y8IAUnI4C
j3vstuajczBxMC8GA1UdEQQoMCaCJHNob3AuYWJjLnVzLWVhc3QtMS5yZHMuYW1h
em9uYXdzLmNvbTAdBgNVHQ4EFgQUDS47WGQV+5VSoHCXvEEm31ypjS8wHwYDVR0j
BBgwFoAUO1kwNWCiNs3lCl3ewznHC2pp5Z8wCgYIKoZIzj0EAwIDSQAwRgIhAK1z
Vi3+4JCss5Yced2OhaTITiiTiXZKNGIMSDpVX+RLAiEA2Mi4H89wopdQkKW6oMIj
JU0/H7+3q6U5LMro5eYry6I=
-----END CERTIFICATE-----
`

export const key = `\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgmFwTT+sp4m+BCej8
A1L/T7kcMbndZ+dxbR4fghON7FyhRANCAARZdClRkxgeMaSjPO5BB4kGrpBMtAaK
L/vsXm5GdY/3ZEW+HMdv+GPhEa5m6mIgLezhky/P8vCAFJyOAo977Lbm
-----END PRIVATE KEY-----
`
