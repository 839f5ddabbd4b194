import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { expect } from 'chai'
import { natsAddress, natsServers } from '#config/state/connect.ts'
import { commands } from '#config/command/index.ts'
import { welcome } from '#config/command/operation/welcome.ts'
import { exportLines, tourSteps } from '#config/demo/tour.ts'
import { root } from '#config/process/root.ts'
import { routes } from '#http/index.ts'
import { isAsShown } from '#test/harness/book.ts'
import { toldOpen, toldWarnings } from '#config/state/bills.ts'
import { launch as launched } from '#test/harness/launched.ts'
import { testFolder } from '#test/harness/stores.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const open = (id: string, state: string, period: string) => ({
  id,
  at: '2026-02-01T03:00:00.000Z',
  state,
  periods: { [period]: 4 },
  counted: 3,
  confirmed: false,
  since: '2026-02-01T03:01:00.000Z',
})

describe('a product that runs', () => {
  let folder: string
  let running: ChildProcess | undefined
  const lanes = { TIDEMARK_LANES: '2' }
  const launch = (...args: string[]) => launched(folder, lanes, ...args)
  // What it tells when it starts, at the one start of `npm test`: test/flows/lane-processes.test.ts.
  before(async function () {
    if (!isDeep) return
    this.timeout(180_000)
    folder = testFolder()
    running = launch('start', '--json')
    await once(createInterface(running.stdout!), 'line')
  })
  after(async () => {
    if (!running || running.exitCode !== null) return
    running.kill('SIGTERM')
    await once(running, 'exit')
  })

  deepIt('tells the first person where to sign in, and an operator a link that signs them in once', async function () {
    this.timeout(180_000)
    const said = async (...args: string[]) => (await Array.fromAsync(launch(...args).stdout!)).join('')
    const json = async (...args: string[]) => JSON.parse(await said(...args, '--json'))
    const { url } = JSON.parse(readFileSync(path.join(folder, 'run.json'), 'utf8')) as { url: string }
    const nobody = await json('console')
    expect(nobody.error.message).to.equal('No organizations exist. Create one with: tidemark org create NAME')
    const { id: orgId } = await json('org', 'create', 'First')
    const unowned = `The organization has no owner yet. Create one with: tidemark user create EMAIL --org ${orgId} --role owner`
    expect((await json('console')).error.message).to.equal(unowned)
    const email = 'first@example.com'
    const made = await said('user', 'create', email, '--org', orgId, '--role', 'owner', '--password', 'correct horse')
    expect(made.trimEnd().split('\n').at(-1)).to.equal(`Sign in at ${url}/console/`)

    const given = await json('console')
    const [page, token] = given.console.split('#token=')
    expect([page, given.user, given.orgId]).to.deep.equal([`${url}/console/`, email, orgId])
    const goodMs = Date.parse(given.expiresAt) - Date.now()
    expect(goodMs > 13 * 60_000 && goodMs <= 15 * 60_000, String(goodMs)).to.equal(true)
    const text = (await said('console', '--user', email)).split('\n')
    expect(text[0]).to.match(new RegExp(`^${url}/console/#token=[A-Za-z0-9_-]{43}$`))
    expect(text.slice(1)).to.deep.equal(['', `Signs in ${email} once. Expires in 15 minutes.`, ''])

    const signIn = async () => {
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(`${url}/auth/browser/link`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ token }),
      })
      return { status: answer.status, body: (await answer.json()) as any }
    }
    const { status, body } = await signIn()
    expect([status, body.data.user.email, body.data.orgID]).to.deep.equal([200, email, orgId])
    expect((await signIn()).body.code).to.equal('invalid_link')
    const events = await fetch(`${url}/security-events?type=sign_in_link_created`, {
      headers: { Authorization: `Bearer ${body.data.accessToken}` },
    })
    const trail = ((await events.json()) as any).data.items
    expect(trail.map((one: any) => [one.principal, one.email, one.userAgent])).to.deep.equal([
      ['operator', email, 'command line'],
      ['operator', email, 'command line'],
    ])
    expect(JSON.stringify(trail)).to.not.include(token)
  })

  deepIt(
    'reads a bill while it runs, and says without being told to wait what came of it and where it is to be seen',
    async function () {
      this.timeout(180_000)
      const out = async (...args: string[]) => (await Array.fromAsync(launch(...args).stdout!)).join('')
      const { id } = JSON.parse(await out('org', 'create', 'x', '--json')) as { id: string }
      const { url } = JSON.parse(await out('doctor', '--json')) as { url: string }
      const bill = path.join(folder, 'bill.csv')
      writeFileSync(bill, 'BilledCost;ChargePeriodStart;ProviderName\n1.5;2024-09-19;AWS\n2;2024-09-30;AWS\n')
      const made = JSON.parse(await out('producer', 'create', '--org', id, '--json')) as Record<string, string>
      const producer = await connect({ ...natsServers(made['url']!), reconnect: false })
      const { stream } = await jetstream(producer).publish(`ingest.billing.${id}.a`, '{}')
      expect(stream).to.match(/^LANE-/)
      await out('producer', 'revoke', made['id']!)
      await producer.closed()
      expect(producer.isClosed()).to.equal(true)
      const said = await out('ingest', 'billing', bill, '--org', id, '--account', 'a')
      expect(said.trimEnd().split('\n').slice(-2)).to.deep.equal([
        '2024-09: 2 lines, 3.50 USD',
        `bills from 2024-09-19 to 2024-09-30: ${url}/reports/summary?period=2024-09`,
      ])
    },
  )

  const url = 'http://127.0.0.1:8080'
  const nats = 'nats://127.0.0.1:4222'

  it('leaves credentials out of the address that it tells', () => {
    expect(natsAddress('nats://user:secret@a:4222,nats://b:4223')).to.equal('nats://a:4222,nats://b:4223')
    const lines = welcome({ url, console: `${url}/console/`, nats, analysts: undefined }, undefined).split('\n')
    expect(lines.slice(1, 8)).to.deep.equal([
      `Tidemark is running at ${url}`,
      'Paste these lines into another terminal:',
      '',
      `export URL=${url}`,
      '',
      `Console    ${url}/console/`,
      `API        ${url}/docs`,
    ])
    expect(lines).to.include(`NATS       ${nats}  (for producers)`)
    expect(lines.join('\n')).to.not.match(/CLICKHOUSE|svc_pat|Mails/)
  })

  const demo = { orgId: 'o', token: 'svc_pat_1', analystToken: 'svc_pat_2', isLoaded: true }
  const access = { ...demo, url, analysts: 'http://127.0.0.1:9' }

  it('prints of the demo what README shows: exports to paste, then at most eight lines', () => {
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8')
    const [, shown] = /```text\n(Tidemark is running[^]*?)```/.exec(readme)!
    const at = {
      url,
      console: `${url}/console/#token=abc`,
      nats,
      analysts: 'http://127.0.0.1:9',
      mails: '/data/m.jsonl',
    }
    const printed = welcome(at, { ...demo, nats: 'nats://producer-1:secret@127.0.0.1:4222' }).trim()
    expect(isAsShown(printed, shown!), `${printed}\n\nis not\n\n${shown}`).to.equal(true)
    const [, exported, rest] = /\n\n((?:export .*\n)+)\n([^]*)$/.exec(printed)!
    expect(exported!.trim().split('\n')).to.deep.equal([
      `export URL=${url}`,
      'export TOKEN=svc_pat_1',
      'export ORG=o',
      'export CLICKHOUSE=http://127.0.0.1:9',
      'export ANALYST=svc_pat_2',
    ])
    expect(rest!.split('\n').filter(Boolean)).to.have.length.at.most(8)
  })

  it('has a tour whose commands ask for routes and commands that there are, by the exported names alone', () => {
    const steps = tourSteps(Date.parse('2026-11-23T05:00:00Z'))
    const all = steps.flatMap((step) => step.commands)
    const names = new Set(all.flatMap((line) => [...line.matchAll(/\$(\w+)/g)].map(([, name]) => name!)))
    expect([...names].toSorted()).to.deep.equal(['ANALYST', 'CLICKHOUSE', 'ORG', 'TOKEN', 'URL'])
    expect(exportLines(access).map((line) => /^export (\w+)=/.exec(line)![1])).to.have.members([...names])
    const places = all.flatMap((line) => [...line.matchAll(/\$URL(\/[\w/-]+)/g)].map(([, place]) => place!))
    expect(places).to.have.length.above(15)
    expect(places.filter((place) => place !== '/mcp' && !routes.some((route) => route.path === place))).to.deep.equal(
      [],
    )
    const typed = all.filter((line) => line.startsWith('npm ')).map((line) => line.split(' -- ')[1]!)
    const known = (line: string) => commands.some(({ name }) => line.startsWith(`${name} `))
    expect(typed.filter((line) => !known(line))).to.deep.equal([])
    expect(all).to.include(
      'curl -s -H "Authorization: Bearer $TOKEN" "$URL/reports/anomalies?from=2026-10-24&to=2026-11-22"',
    )
  })

  it('tells of ten accounts with open exports and counts the others', () => {
    const accounts = Array.from({ length: 12 }, (_, n) => ({
      orgId: 'o',
      accountId: `a${n}`,
      exports: [open('e', 'incomplete', '2026-01') as never],
    }))
    const lines = toldOpen(accounts)
    expect(lines).to.have.length(11)
    expect([lines[0], lines[10]]).to.deep.equal([
      'bill exports of a0 in o: incomplete (2026-01, exported 2026-02-01T03:00:00.000Z)',
      'bill exports of 2 more accounts are open',
    ])
  })

  it('tells of the first three warnings of the bills of ten accounts and counts the others', () => {
    const [whole, row] = [{ file: 'b.csv' }, { file: 'a.csv', row: 7 }]
    const warnings = [whole, row, whole, row, row].map((place, n) => ({
      period: '2026-01',
      code: `code_${n}`,
      message: 'The tags cannot be read.',
      count: n + 1,
      first: [place],
    }))
    const accounts = Array.from({ length: 10 }, (_, n) => ({ orgId: 'o', accountId: `a${n}`, warnings }))
    const lines = toldWarnings({ total: 12, accounts })
    expect(lines).to.have.length(11)
    expect([lines[0], lines[10]]).to.deep.equal([
      'bill warnings of a0 in o: 2026-01 code_0 (1): The tags cannot be read, first in b.csv; 2026-01 code_1 (2): The tags cannot be read, first in a.csv:7; 2026-01 code_2 (3): The tags cannot be read, first in b.csv; and 2 more',
      'bills of 2 more accounts have warnings',
    ])
  })
})
