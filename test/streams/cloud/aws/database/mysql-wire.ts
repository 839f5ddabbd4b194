/** The server's side of the MySQL protocol: TLS, `caching_sha2_password` over it, and text queries. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { certificate, key } from './far-server.ts'

export interface MysqlRefusal {
  number: number
  state: string
  message: string
}

export type MysqlAnswer = 'ok' | MysqlRefusal | { columns: string[]; rows: (string | number | null)[][] }

export interface MysqlSession {
  id: number
  user: string
  /** Ends the connection. */
  end: () => void
}

export interface MysqlBackend {
  /** Undefined if the user gets in. */
  refuse: (user: string, password: string, database: string) => MysqlRefusal | undefined
  begin: (session: MysqlSession) => void
  answer: (session: MysqlSession, statement: string) => MysqlAnswer
  over: (session: MysqlSession) => void
}

const withDatabase = 0x8
const withSsl = 0x800
/** PROTOCOL_41, TRANSACTIONS, SECURE_CONNECTION, MULTI_RESULTS, PLUGIN_AUTH, PLUGIN_AUTH_LENENC_CLIENT_DATA and others. */
const capabilities = 0x7 | withDatabase | 0x200 | withSsl | 0x2000 | 0x8000 | 0x20000 | 0x80000 | 0x200000
const charset = 45
const plugin = 'caching_sha2_password'

const short = (value: number): Buffer => Buffer.from([value & 0xff, (value >> 8) & 0xff])
const zeroEnded = (text: string): Buffer => Buffer.from(`${text}\0`)
const counted = (text: string): Buffer => {
  const bytes = Buffer.from(text)
  const size =
    bytes.length < 251 ? Buffer.from([bytes.length]) : Buffer.concat([Buffer.from([0xfc]), short(bytes.length)])
  return Buffer.concat([size, bytes])
}

const scramble = (): Buffer => Buffer.from(randomBytes(20).map((byte) => (byte % 127) + 1))

function greeting(id: number): Buffer {
  const salt = scramble()
  return Buffer.concat([
    Buffer.from([10]),
    zeroEnded('8.4.6'),
    Buffer.from([id, 0, 0, 0]),
    salt.subarray(0, 8),
    Buffer.from([0]),
    short(capabilities & 0xffff),
    Buffer.from([charset]),
    short(2),
    short(capabilities >>> 16),
    Buffer.from([21]),
    Buffer.alloc(10),
    salt.subarray(8),
    Buffer.from([0]),
    zeroEnded(plugin),
  ])
}

const okPacket = Buffer.from([0, 0, 0, 2, 0, 0, 0])
const endPacket = Buffer.from([0xfe, 0, 0, 2, 0])
const refusalPacket = ({ number, state, message }: MysqlRefusal): Buffer =>
  Buffer.concat([Buffer.from([0xff]), short(number), Buffer.from(`#${state}${message}`)])

const columnPacket = (name: string, isNumber: boolean): Buffer =>
  Buffer.concat([
    counted('def'),
    ...['', '', ''].map(counted),
    counted(name),
    counted(name),
    Buffer.from([0x0c]),
    short(charset),
    Buffer.from([0, 1, 0, 0, isNumber ? 0x08 : 0xfd]),
    Buffer.alloc(5),
  ])

function packetsOf(answer: MysqlAnswer): Buffer[] {
  if (answer === 'ok') return [okPacket]
  if ('number' in answer) return [refusalPacket(answer)]
  const { columns, rows } = answer
  const isNumber = (i: number) => rows.some((row) => typeof row[i] === 'number')
  const rowPacket = (row: (string | number | null)[]) =>
    Buffer.concat(row.map((value) => (value === null ? Buffer.from([0xfb]) : counted(String(value)))))
  return [
    Buffer.from([columns.length]),
    ...columns.map((name, i) => columnPacket(name, isNumber(i))),
    endPacket,
    ...rows.map(rowPacket),
    endPacket,
  ]
}

/** User and database of a HandshakeResponse41. */
function signInOf(payload: Buffer): { user: string; database: string } {
  const flags = payload.readUInt32LE(0)
  const end = payload.indexOf(0, 32)
  const proof = end + 2 + payload[end + 1]!
  const database = flags & withDatabase ? payload.toString('utf8', proof, payload.indexOf(0, proof)) : ''
  return { user: payload.toString('utf8', 32, end), database }
}

type Stage = 'hello' | 'sign in' | 'password' | 'commands'

class Connection {
  private readonly backend: MysqlBackend
  private readonly session: MysqlSession
  private socket: Socket
  private stage: Stage = 'hello'
  private sequence = 0
  private unread = Buffer.alloc(0)
  private wanted = { user: '', database: '' }

  constructor(backend: MysqlBackend, socket: Socket, id: number) {
    this.backend = backend
    this.socket = socket
    this.session = { id, user: '', end: () => socket.destroy() }
    socket.on('error', () => {}).on('close', () => backend.over(this.session))
    socket.setNoDelay(true).on('data', this.read)
    this.send([greeting(id)])
  }

  private send(payloads: readonly Buffer[]): void {
    const packets = payloads.map((payload) => {
      const { length } = payload
      const head = [length & 0xff, (length >> 8) & 0xff, length >> 16, this.sequence++ & 0xff]
      return Buffer.concat([Buffer.from(head), payload])
    })
    this.socket.write(Buffer.concat(packets))
  }

  private readonly read = (chunk: Buffer): void => {
    this.unread = Buffer.concat([this.unread, chunk])
    while (this.unread.length >= 4) {
      const size = this.unread.readUIntLE(0, 3) + 4
      if (this.unread.length < size) return
      this.sequence = this.unread[3]! + 1
      const payload = this.unread.subarray(4, size)
      this.unread = this.unread.subarray(size)
      this.take(payload)
    }
  }

  private take(payload: Buffer): void {
    if (this.stage === 'hello') return this.encrypt()
    if (this.stage === 'sign in') {
      this.wanted = signInOf(payload)
      this.stage = 'password'
      // The password itself, which the encrypted connection protects.
      return this.send([Buffer.from([1, 4])])
    }
    if (this.stage === 'password') return this.signIn(payload.toString('utf8', 0, payload.length - 1))
    if (payload[0] === 1) return void this.socket.end()
    this.send(packetsOf(this.backend.answer(this.session, payload.toString('utf8', 1))))
  }

  private encrypt(): void {
    const plain = this.socket
    plain.off('data', this.read)
    plain.pause()
    if (this.unread.length > 0) plain.unshift(this.unread)
    this.unread = Buffer.alloc(0)
    this.stage = 'sign in'
    this.socket = new TLSSocket(plain, { isServer: true, key, cert: certificate })
    this.socket.on('error', () => {}).on('data', this.read)
  }

  private signIn(password: string): void {
    const { user, database } = this.wanted
    const refusal = this.backend.refuse(user, password, database)
    if (refusal) {
      this.send([refusalPacket(refusal)])
      this.socket.end()
      return
    }
    this.session.user = user
    this.stage = 'commands'
    this.backend.begin(this.session)
    this.send([okPacket])
  }
}

export async function listenMysql(backend: MysqlBackend): Promise<{ port: number; close: () => void }> {
  let id = 0
  const server = createServer((socket) => void new Connection(backend, socket, (id++ % 200) + 1))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() }
}
