/**
 * Somebody else on the machine, who has the ports and nothing more: tries each as every kind of server, and each file. Prints what
 * it got, as JSON. Uses nothing of the product: it may not be able to read it.
 *
 *     stranger.mjs <data folder> <passwords to guess> <port>...
 */
import fs from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'

const [folder, guesses, ...ports] = process.argv.slice(2)
const mark = 'stranger'

/** What a server says within a second to what is sent; NATS speaks first. */
function talk(port, sent) {
  return new Promise((resolve) => {
    const got = []
    const socket = net.connect(Number(port), '127.0.0.1', () => socket.write(sent))
    const end = () => {
      socket.destroy()
      resolve(Buffer.concat(got))
    }
    socket.on('data', (data) => got.push(data))
    socket.on('error', end)
    socket.on('close', end)
    setTimeout(end, 1000)
  })
}

function ask(port, method, url, headers = {}, body) {
  return new Promise((resolve) => {
    const request = http.request({ host: '127.0.0.1', port, method, path: url, headers, timeout: 20_000 }, (answer) => {
      const all = []
      answer.on('data', (data) => all.push(data))
      answer.on('end', () => resolve({ status: answer.statusCode, body: Buffer.concat(all).toString() }))
      answer.on('error', () => resolve({ status: 0, body: '' }))
    })
    request.on('error', () => resolve({ status: 0, body: '' }))
    request.on('timeout', () => request.destroy())
    request.end(body)
  })
}

/** Passwords that are guessed first; in `npm test` fewer. */
const passwords = ['', 'tidemark', 'app', 'postgres', 'default', 'password', 'svc_pat_', 'x'].slice(0, Number(guesses))

async function asNats(port) {
  const found = []
  const users = [
    {},
    ...['tidemark', 'producer', 'default', 'sys'].flatMap((user) => passwords.map((pass) => ({ user, pass }))),
  ]
  for (const who of users) {
    const publish = ['ingest.billing.o.a', 'lane.0.actor.o.-', 'event.x.o.y', '$JS.API.STREAM.DELETE.LANE-0']
    const sent = [
      `CONNECT ${JSON.stringify({ verbose: true, pedantic: false, headers: true, protocol: 1, ...who })}`,
      'SUB > 1',
      ...publish.map((subject) => `PUB ${subject} ${mark.length}\r\n${mark}`),
      'PING',
      '',
    ].join('\r\n')
    const said = (await talk(port, sent)).toString()
    if (/^PONG/m.test(said) || (/^\+OK/m.test(said) && !/-ERR 'Authorization/.test(said)))
      found.push(`NATS let in ${JSON.stringify(who)}`)
  }
  return found
}

function startup(user, database) {
  const text = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(text.length + 8, 0)
  head.writeInt32BE(196608, 4)
  return Buffer.concat([head, text])
}

function message(type, text) {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** `R` and a zero is a server that asks for nothing. */
async function asPostgres(port) {
  const found = []
  for (const user of ['postgres', 'app', 'tidemark', 'tidemark_tenant', 'root', 'nobody'])
    for (const database of ['postgres', 'template1']) {
      const said = await talk(
        port,
        Buffer.concat([startup(user, database), message('p', ''), message('Q', 'create table stranger (x int)')]),
      )
      const isIn = said.includes(Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0])) || said.includes('CREATE TABLE')
      if (isIn) found.push(`PostgreSQL let in ${user} to ${database}`)
    }
  return found
}

const statements = [
  'SELECT 1',
  'SELECT count() FROM cost_fact',
  'SELECT * FROM tidemark.cost_fact LIMIT 1',
  'SHOW TABLES',
  "SELECT * FROM file('/etc/passwd')",
  'CREATE TABLE stranger (x Int8) ENGINE = Memory',
  'INSERT INTO cost_fact FORMAT JSONEachRow {"org_id":"stranger"}',
]

async function asClickHouse(port) {
  const found = []
  const identities = [
    {},
    ...['default', 'analyst', 'tidemark', 'door'].flatMap((user) =>
      passwords.map((key) => ({ 'x-clickhouse-user': user, 'x-clickhouse-key': key })),
    ),
    { authorization: `Basic ${Buffer.from('default:').toString('base64')}` },
    { authorization: 'Bearer svc_pat_' },
  ]
  for (const place of ['/', '/readonly/', '/?user=default&password=', '/?role=door&'])
    for (const [n, statement] of statements.entries())
      for (const headers of n === 0 ? identities : [{}]) {
        const url = `${place}${place.includes('?') ? '' : '?'}&query=${encodeURIComponent(statement)}`
        for (const method of ['GET', 'POST']) {
          const { status, body } = await ask(port, method, url, headers)
          if (status === 200 && !/<html|"data"|# HELP/i.test(body))
            found.push(`${method} ${url} ${JSON.stringify(headers)}: ${body.slice(0, 80)}`)
        }
      }
  return found
}

/** What is said to anybody; whether that is right is for the test to say. */
async function asPages(port) {
  const open = []
  const places = [
    '/',
    '/ping',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/schemas',
    '/play',
    '/dashboard',
    '/replicas_status',
    '/varz',
    '/connz',
    '/jsz',
  ]
  const more = [
    '/resources',
    '/reports/summary',
    '/cloud-accounts',
    '/teams',
    '/members',
    '/security-events',
    '/dead-letters',
    '/internal/clock',
    '/internal/mails',
    '/settings/personal-access-tokens',
    '/.well-known/jwks.json',
  ]
  for (const place of [...places, ...more]) {
    const { status, body } = await ask(port, 'GET', place)
    if (status >= 200 && status < 400) open.push({ place, body: body.slice(0, 200_000) })
  }
  for (const [method, place] of [
    ['POST', '/organisations'],
    ['POST', '/cloud-accounts'],
    ['POST', '/internal/clock'],
    ['POST', '/events'],
    ['POST', '/dead-letters/replay'],
    ['DELETE', '/teams/x'],
  ]) {
    const { status } = await ask(port, method, place, { 'content-type': 'application/json' }, '{}')
    if (status >= 200 && status < 400) open.push({ place: `${method} ${place}`, body: '' })
  }
  return open
}

/** Files of the folder that can be read, and sockets that can be connected to. */
async function files(at, found = []) {
  let entries = []
  try {
    entries = fs.readdirSync(at, { withFileTypes: true })
  } catch {
    return found
  }
  for (const entry of entries) {
    const file = path.join(at, entry.name)
    if (entry.isDirectory()) await files(file, found)
    else
      try {
        fs.closeSync(fs.openSync(file, 'r'))
        found.push(file)
      } catch {
        // As it should be.
      }
  }
  return found
}

/** Names that are known from the documents, for a folder that cannot be listed. */
async function named() {
  const found = []
  for (const name of [
    'run.json',
    'demo.json',
    'credentials.key',
    'nats/nats.conf',
    'nats/nats.secret',
    'nats/users.conf',
    'postgres/role.secret',
    'postgres/pg.secret',
    'postgres/pg/pg_hba.conf',
    'outbox/mails.jsonl',
    'clickhouse/users.xml',
  ])
    try {
      fs.closeSync(fs.openSync(path.join(folder, name), 'r'))
      found.push(name)
    } catch {
      // As it should be.
    }
  for (const name of ['clickhouse/clickhouse.sock', 'postgres/.s.PGSQL.5432']) {
    const connected = await new Promise((resolve) => {
      const socket = net.connect({ path: path.join(folder, name) }, () => resolve(true))
      socket.on('error', () => resolve(false))
    })
    if (connected) found.push(name)
  }
  return found
}

const got = { uid: process.getuid?.(), broken: [], open: {}, files: [...(await files(folder)), ...(await named())] }
await Promise.all(
  ports.map(async (port) => {
    for (const found of await Promise.all([asNats(port), asPostgres(port), asClickHouse(port)]))
      got.broken.push(...found)
    got.open[port] = await asPages(port)
  }),
)
process.stdout.write(JSON.stringify(got), () => process.exit(0))
