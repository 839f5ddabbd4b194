/**
 * Pushes that are taken, each signed, with a revision and the order of its build: how many a second, as a ratio to a bare handler that
 * checks the same signatures and answers. And the look-up that each of them makes, among many deployments: milliseconds.
 * Usage: npm run -s bench -- webhooks [--pushes 2000] [--at-once 32] [--deployments 10000]
 */
import { createHmac, randomUUID } from 'node:crypto'
import { createServer, Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { deploymentsFollowing } from '#actors/source/queries.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { serve } from '#http/edge/serve.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { github } from '#streams/source/github.ts'
import { figure, goal, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    pushes: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '32' },
    deployments: { type: 'string', default: '10000' },
  },
})
const [pushes, atOnce, deployments] = (['pushes', 'at-once', 'deployments'] as const).map((name) =>
  Number(values[name]),
) as [number, number, number]
const secret = 'benchmark-secret-0123456789abcdef0'
/** Repositories that are pushed to, each with one deployment of main. */
const repositories = Math.min(1000, deployments)

const set = await stage({
  env: { SOURCE_APP_WEBHOOK_SECRET: secret, BUILD_CALLBACK_SECRET: secret, INBOUND_RATE_LIMIT: '0', RATE_LIMIT: '0' },
})
const { connections: c, product, end } = await set.product()
product.get(tokens.engine).start()
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
product.site.publicUrl = serving.url
const { id: orgId } = await createOrganization(c.orm.em.fork(), 'bench')
await plant()
say(`${figure(pushes)} pushes, ${atOnce} at once; ${figure(deployments)} deployments`)
const bare = await bareRate()
const own = await rate(serving.url, 'taken')
goal('W1', 'pushes taken a second, of those that are checked alone', own / bare, { min: 0.05 })
await lookUp()
await serving.close()
await end()
await set.close()
process.exit(0)

async function plant(): Promise<void> {
  await c.store.rows(
    `insert into deployment (org_id, id, name, space_id, repository_url, repository_key, branch, auto_deploy, current_revision_id, created_at, updated_at)
     select $1, gen_random_uuid()::text, 'bench', 's-1', 'https://example.test/bench/' || n, 'example.test/bench/' || n % $3, 
       case when n < $3 then 'main' else 'other-' || n end, true, null, now(), now()
     from generate_series(0, $2 - 1) as n`,
    [orgId, deployments, repositories],
  )
  await c.store.rows('analyze deployment', [])
}

function pushOf(n: number): string {
  const after = n.toString(16).padStart(40, 'a')
  const url = `https://example.test/bench/${n % repositories}.git`
  // As long as pushes of hosts are.
  return JSON.stringify({ ref: 'refs/heads/main', after, repository: { clone_url: url }, padding: 'x'.repeat(6000) })
}

/** A server that reads the body, checks the signature and answers: what cannot be left out. */
async function bareRate(): Promise<number> {
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const isSigned = github.isSigned(incoming.headers, Buffer.concat(chunks), [secret], new Date())
      answer.writeHead(isSigned ? 202 : 401, { 'content-type': 'application/json' }).end('{"data":{}}')
    })
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const measured = await rate(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'checked alone')
  server.closeAllConnections()
  server.close()
  return measured
}

/** Sends every push once; answers a second. */
async function rate(url: string, what: string): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce })
  const late: number[] = []
  let next = 0
  const worker = async () => {
    for (let n = next++; n < pushes; n = next++) {
      const began = performance.now()
      const status = await post(url, pushOf(n), agent)
      if (status !== 202) throw new Error(`answered ${status}`)
      late.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: atOnce }, worker))
  const perSecond = pushes / ((performance.now() - began) / 1000)
  const [p50, p99] = [quantile(late, 0.5), quantile(late, 0.99)]
  say(`${what}: ${figure(perSecond)} a second, ms: p50 ${figure(p50)}, p99 ${figure(p99)}`)
  agent.destroy()
  return perSecond
}

function post(url: string, body: string, agent: Agent): Promise<number> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-source-event': 'push',
    'x-source-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
  return new Promise((done, failed) => {
    const sent = request(`${url}/webhooks/github`, { method: 'POST', agent, headers }, (answer) =>
      answer.resume().on('end', () => done(answer.statusCode ?? 0)),
    )
    sent.on('error', failed).end(body)
  })
}

async function lookUp(): Promise<void> {
  const took: number[] = []
  for (let n = 0; n < 2000; n++) {
    const began = performance.now()
    const found = await deploymentsFollowing(c.orm.em.fork(), `example.test/bench/${n % repositories}`, 'main')
    took.push(performance.now() - began)
    if (found.length !== 1) throw new Error(`found ${found.length}`)
  }
  say(`look-up, ms: p50 ${figure(quantile(took, 0.5))}, p99 ${figure(quantile(took, 0.99))}`)
  goal('W2', 'p99 of the look-up', quantile(took, 0.99), { max: 50 }, ' ms')
}
