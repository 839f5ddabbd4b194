import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { addDays, dayOf } from '#engine/value/day.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { unverifiedBytes } from '#http/source/webhook.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { receiver, type Receiver } from '#test/harness/receiver.ts'
import {
  freshUrl,
  hook,
  ordersOf,
  plantedDeployment,
  plantedSpace,
  pushOf,
  revisionsOf,
  shaOf,
  signatureOf,
} from '#test/harness/source.ts'
import { deepIt } from '#test/harness/tier.ts'

/** Not those of the examples, which other tests plant: the stream of orders keeps an id once within two minutes, whosever it is. */
const ids = { a: 'd3a5f0b2-61c4-4f7e-8b19-2e6c7a9d0f31', b: '5e8b1c74-0d92-4a36-b7f5-93c1d2e4a608' }
const url = 'https://example.test/acme/shop.git'
const body =
  '{"ref":"refs/heads/main","after":"1111111111111111111111111111111111111111","repository":{"clone_url":"https://example.test/acme/shop.git"}}'
const signature = 'sha256=1e0df578b4596565ae6d09c02797dc0044cb19469589d3797165e55ddd19204d'
const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
/** UUIDs of version 5 of the delivery in each deployment, by Python's uuid. */
const revisions = ['f754d61c-0636-5ae0-8d09-adf55fa467df', '95c7f346-8129-51a8-ba79-36a29b805836']

describe('a webhook of a push', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await plantedDeployment(org, { id: ids.a, url })
    await plantedDeployment(org, { id: ids.b, url: 'git@example.test:acme/shop.git' })
    await plantedDeployment(org, { url, auto: false })
    await plantedDeployment(org, { url, branch: 'dev' })
  })

  const countOf = async () => {
    const rows = await org.connections.store.rows('select id from revision where org_id = $1', [org.orgId])
    return rows.length
  }

  it('is refused with a byte changed or without its signature, and nothing is stored [S-22] [HOOK-03] [HOOK-04]', async () => {
    expect(Buffer.byteLength(body)).to.equal(140)
    const changed = body.replace('shop', 'shoq')
    const answers = [
      await hook(changed, { signature, delivery }),
      await hook(body, { signature: null, delivery }),
      await hook(body, { signature: signature.toUpperCase(), delivery }),
      await hook(body, { signature: signature.slice('sha256='.length), delivery }),
      await hook(body, { signature: signatureOf(body, 'another'), delivery }),
    ]
    for (const { status, body: said } of answers) expect([status, said.code]).to.deep.equal([401, 'invalid_signature'])
    expect(await countOf()).to.equal(0)
  })

  it('makes one revision and one build of a delivery, however often and at once it comes [S-22] [HOOK-07] [HOOK-08] [HOOK-09]', async () => {
    const sent = { signature, delivery }
    const first = await Promise.all([hook(body, sent), hook(body, sent), hook(body, sent)])
    const answers = [...first, await hook(body, sent), await hook(body, sent)]
    for (const { status, body: said } of answers) {
      expect(status, JSON.stringify(said)).to.equal(202)
      expect(said.data).to.include({ deliveryId: delivery, event: 'push' })
      // Other organizations of this run may deploy the repository too.
      expect(said.data.revisionIDs).to.include.members(revisions)
    }
    const results = answers.map((answer) => answer.body.data.result as string)
    expect(results.slice(3)).to.deep.equal(['duplicate', 'duplicate'])
    expect(results).to.include('accepted')
    await until('both builds', async () => (await ordersOf(org)).length >= 2)
    await until('both revisions', async () => {
      const all = [...(await revisionsOf(org, ids.a)), ...(await revisionsOf(org, ids.b))]
      return all.length === 2 && all.every(({ status }) => status === 'building')
    })
    const orders = await ordersOf(org)
    expect(orders.map(({ id }) => id)).to.have.members(revisions)
    expect(orders.map(({ data }) => data.revisionID as string)).to.have.members(revisions)
    const { data, envelope } = orders.find(({ id }) => id === revisions[0])!
    expect(envelope).to.include({ type: 'build.job', orgId: org.orgId })
    expect(data).to.include({
      deploymentID: ids.a,
      repositoryURL: url,
      commitSHA: shaOf('1'),
      callbackURL: `${org.url}/build-callbacks/${revisions[0]}`,
    })
    expect(await countOf()).to.equal(2)
  })

  it('is taken by its native headers, in any layout of its bytes [HOOK-05] [HOOK-06]', async () => {
    const own = freshUrl()
    const id = await plantedDeployment(org, { url: own })
    const raw = `{ "repository" : {"clone_url":"${own}"},\n\t"after":"${shaOf('2')}", "ref" : "refs\\/heads\\/main" }\n`
    const headers = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'native-1' }
    const { status, body: said } = await hook(raw, { event: '', delivery: '', headers })
    expect([status, said.data.result, said.data.deliveryId]).to.deep.equal([202, 'accepted', 'native-1'])
    expect((await revisionsOf(org, id)).map(({ commitSHA }) => commitSHA)).to.deep.equal([shaOf('2')])
  })

  it('without an event or a delivery is refused once its signature has been checked [HOOK-06]', async () => {
    const named = (answer: any) => [answer.status, ...(answer.body.errors ?? []).map((e: any) => e.name)]
    expect(named(await hook(body, { event: '' }))).to.deep.equal([400, 'x-source-event'])
    expect(named(await hook(body, { delivery: '' }))).to.deep.equal([400, 'x-source-delivery'])
    expect((await hook(body, { event: '', delivery: '', signature: null })).status).to.equal(401)
    const wrong = await hook(body, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })
    expect([wrong.status, wrong.body.code]).to.deep.equal([415, 'unsupported_media_type'])
  })

  it('that is no JSON, or lacks what a push has, is refused by pointer', async () => {
    const broken = await hook('{"ref":')
    expect([broken.status, broken.body.code]).to.deep.equal([400, 'malformed_json'])
    const empty = await hook('{"ref":"refs/heads/main"}')
    expect([empty.status, empty.body.errors.map((e: any) => e.name)]).to.deep.equal([400, ['/after', '/repository']])
  })

  it('of a tag, of a deleted branch or of another repository makes nothing [HOOK-07]', async () => {
    const before = await countOf()
    for (const raw of [
      pushOf(url, shaOf('3'), 'refs/tags/v1'),
      pushOf(url, shaOf('0')),
      JSON.stringify({ ...(JSON.parse(pushOf(url)) as object), deleted: true }),
      pushOf(freshUrl()),
      pushOf(url, shaOf('3'), 'refs/heads/none'),
    ]) {
      const { status, body: said } = await hook(raw)
      expect([status, said.data.result, said.data.revisionIDs], raw).to.deep.equal([202, 'ignored', []])
    }
    for (const event of ['ping', 'star', 'repository'])
      expect((await hook('{"zen":"x"}', { event })).body.data).to.include({ result: 'ignored', event })
    expect(await countOf()).to.equal(before)
  })

  it('reaches deployments of every organization that follows the branch, each in its own [HOOK-07]', async () => {
    const other = await tenant()
    const shared = freshUrl()
    const [ours, theirs] = [
      await plantedDeployment(org, { url: shared }),
      await plantedDeployment(other, { url: shared }),
    ]
    expect((await hook(pushOf(shared))).body.data.revisionIDs).to.have.length(2)
    expect(await revisionsOf(org, ours)).to.have.length(1)
    const [revision] = await revisionsOf(other, theirs)
    expect((await org.get(`/revisions/${revision.id}`)).status).to.equal(404)
    expect((await other.get(`/revisions/${revision.id}`)).body.data).to.deep.include({ deploymentID: theirs })
  })

  deepIt('over 25 MiB is refused, whoever signed it [HOOK-05]', async () => {
    const raw = Buffer.alloc(25 * 1024 * 1024 + 1, 0x20)
    const { status, body: said } = await hook(raw)
    expect([status, said.code]).to.deep.equal([413, 'body_too_large'])
    const most = Buffer.alloc(25 * 1024 * 1024, 0x20)
    most.write(body)
    expect((await hook(most, { delivery })).body.data.result).to.equal('duplicate')
  })

  it('whose headers vouch for nothing, or tell of more than 25 MiB, is refused before a byte of its body has come [HOOK-04] [HOOK-05]', async () => {
    const told = async (head: string[], length = 1000) => {
      const { hostname, port } = new URL(org.url)
      const socket = connect({ host: hostname, port: Number(port) })
      const all = [
        'POST /webhooks/github HTTP/1.1',
        'Host: x',
        'Content-Type: application/json',
        `Content-Length: ${length}`,
        ...head,
      ]
      socket.write(`${all.join('\r\n')}\r\n\r\n`)
      const [first] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return Number(first.toString('latin1').split(' ')[1])
    }
    for (const head of [[], ['X-Hub-Signature-256: sha256=1'], [`X-Hub-Signature-256: ${signature.toUpperCase()}`]])
      expect(await told(head), head.join()).to.equal(401)
    expect(await told([`X-Hub-Signature-256: ${signature}`], 25 * 1024 * 1024 + 1)).to.equal(413)
  })

  it('is not read while too much is that nobody vouches for: it is to come again [HOOK-05]', async () => {
    const all = 256 * 1024 * 1024
    expect(unverifiedBytes.take(all)).to.equal(true)
    const refused = await hook(body, { signature, delivery }).finally(() => unverifiedBytes.give(all))
    expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([503, '5'])
    expect((await hook(body, { signature, delivery })).status).to.equal(202)
  })

  it('is taken at an address with whatever parameters [HOOK-01]', async () => {
    const { status } = await hook(body, { signature, delivery, path: '/webhooks/github?source=acme&v=1' })
    expect(status).to.equal(202)
  })

  it('is taken under the secret before, while it is being replaced [HOOK-21]', async () => {
    expect((await hook(body, { delivery, signature: signatureOf(body, 'whsec-before-1') })).status).to.equal(202)
  })
})

describe('a webhook of a pull request', () => {
  let org: Tenant
  let host: Receiver
  before(async () => {
    org = await tenant()
    host = await receiver()
    Object.assign(org.product.get(tokens.source), { apiUrl: new URL(host.url).origin })
  })
  after(async () => {
    Object.assign(org.product.get(tokens.source), { apiUrl: undefined })
    await host.end()
  })

  const opened = (own: string, action = 'opened') =>
    JSON.stringify({
      action,
      number: 7,
      pull_request: { head: { sha: shaOf('4') } },
      repository: { clone_url: own, full_name: 'acme/shop' },
    })

  it('posts one status of its commit, and makes no revision and no build, however often it comes [S-22] [HOOK-10]', async () => {
    const own = freshUrl()
    const spaceId = await plantedSpace(org)
    const id = await plantedDeployment(org, { url: own, spaceId, branch: 'other', auto: false })
    const given = { event: 'pull_request', delivery: randomUUID() }
    const first = await hook(opened(own), given)
    expect(first.body.data, JSON.stringify(first.body)).to.include({ result: 'accepted' })
    expect((await hook(opened(own), given)).body.data).to.include({ result: 'duplicate' })
    await until('the status', async () => host.posts.length > 0)
    expect(host.posts).to.have.length(1)
    const [{ path, headers, body: said }] = host.posts as [Receiver['posts'][number]]
    expect([path, headers.authorization]).to.deep.equal([
      `/repos/acme/shop/statuses/${shaOf('4')}`,
      'Bearer status-token-planted-1',
    ])
    expect(JSON.parse(said)).to.deep.equal({
      state: 'success',
      context: 'tidemark/analysis',
      description: 'The space cost 0.00 USD in the last 30 days. No problems found.',
      target_url: `${org.url}/deployments/${id}`,
    })
    expect(await revisionsOf(org, id)).to.deep.equal([])
    expect(await ordersOf(org)).to.deep.equal([])
  })

  it('fails where what is merged could not be deployed [HOOK-10]', async () => {
    const own = freshUrl()
    await plantedDeployment(org, { url: own, spaceId: await plantedSpace(org, { status: 'disabled' }) })
    const before = host.posts.length
    await hook(opened(own, 'synchronize'), { event: 'pull_request' })
    await until('the status', async () => host.posts.length > before)
    expect(JSON.parse(host.posts.at(-1)!.body)).to.include({
      state: 'failure',
      description: 'The space cost 0.00 USD in the last 30 days. The space Production of Shop is disabled.',
    })
  })

  it('is told what its space cost in the last 30 days, to the cent, and nothing of other regions and accounts [HOOK-10]', async () => {
    const own = freshUrl()
    await plantedDeployment(org, { url: own, spaceId: await plantedSpace(org, { account: 'acct-cost' }) })
    const day = (before: number) => addDays(dayOf(Date.now()), -before)
    const line = (lineId: string, costUSD: number, usageDate: string, more: object = {}) => ({
      lineId,
      cloudAccountId: 'acct-cost',
      costUSD,
      usageDate,
      provider: 'aws' as const,
      serviceName: 'ec2',
      region: 'us-east-1',
      ...more,
    })
    await org.publish(billingLine, [
      line('1', 1000, day(1)),
      line('2', 234.506, day(30)),
      line('3', 99, day(31)),
      line('4', 99, day(0)),
      line('5', 99, day(2), { region: 'us-west-2' }),
      line('6', 99, day(2), { cloudAccountId: 'acct-other' }),
    ])
    const before = host.posts.length
    await hook(opened(own), { event: 'pull_request' })
    await until('the status', async () => host.posts.length > before)
    const { description } = JSON.parse(host.posts.at(-1)!.body) as { description: string }
    expect(description).to.equal('The space cost 1,234.51 USD in the last 30 days. No problems found.')
  })

  /** A status of a pull request by an installation. */
  const statusBy = async (own: string, installation: number) => {
    const before = host.posts.length
    const raw = JSON.stringify({ ...(JSON.parse(opened(own)) as object), installation: { id: installation } })
    await hook(raw, { event: 'pull_request' })
    await until('the status', async () => host.posts.length > before)
    const { description, target_url: at } = JSON.parse(host.posts.at(-1)!.body) as Record<string, string>
    return [description, at]
  }

  it('is told a cost by the installation of the organization that deploys it alone, and of that one [HOOK-10] [HOOK-11]', async () => {
    const own = freshUrl()
    const other = await tenant()
    // Of several that deploy a repository the first one is told.
    const earlier = new Date(Date.now() - 60_000)
    await plantedDeployment(other, { url: own, spaceId: await plantedSpace(other), at: earlier })
    const ours = await plantedDeployment(org, { url: own, spaceId: await plantedSpace(org) })
    const id = Math.floor(Math.random() * 1e12) + 1
    const at = (deployment: string) => `${org.url}/deployments/${deployment}`
    const unlinked = JSON.stringify({ ...(JSON.parse(opened(own)) as object), installation: { id } })
    expect((await hook(unlinked, { event: 'pull_request' })).body.data.result).to.equal('pending_link')
    const created = { action: 'created', installation: { id }, repositories: [] }
    await hook(JSON.stringify(created), { event: 'installation' })
    expect((await hook(unlinked, { event: 'pull_request' })).body.data.result).to.equal('pending_link')
    expect((await org.send('POST', '/source-installations', { installationID: id })).status).to.equal(201)
    const cost = 'The space cost 0.00 USD in the last 30 days. No problems found.'
    expect(await statusBy(own, id)).to.deep.equal([cost, at(ours)])
    const before = host.posts.length
    await hook(opened(own), { event: 'pull_request' })
    await until('the status', async () => host.posts.length > before)
    expect(JSON.parse(host.posts.at(-1)!.body)).to.include({ description: 'No problems found.' })
  })

  it('that is delivered several times at once is answered each time, and posts one status [HOOK-09] [HOOK-10]', async () => {
    const own = freshUrl()
    await plantedDeployment(org, { url: own, spaceId: await plantedSpace(org) })
    const given = { event: 'pull_request', delivery: randomUUID() }
    const before = host.posts.length
    const answers = await Promise.all([1, 2, 3, 4].map(() => hook(opened(own), given)))
    expect(answers.map(({ body: { data } }) => data?.result as string)).to.have.members([
      'accepted',
      'duplicate',
      'duplicate',
      'duplicate',
    ])
    await until('the status', async () => host.posts.length > before)
    expect(host.posts).to.have.length(before + 1)
  })

  it('whose repository is called by a way through the host is refused, and nothing is posted [HOOK-10]', async () => {
    const own = freshUrl()
    await plantedDeployment(org, { url: own })
    for (const name of ['../acme', 'acme/..', './shop', 'acme//shop', '/shop', 'acme/'])
      expect((await hook(opened(own).replace('acme/shop"}', `${name}"}`), { event: 'pull_request' })).status).to.equal(
        400,
      )
  })

  it('that was closed, or of a repository that nobody deploys, is passed over [HOOK-10]', async () => {
    const own = freshUrl()
    await plantedDeployment(org, { url: own })
    for (const raw of [opened(own, 'closed'), opened(freshUrl())])
      expect((await hook(raw, { event: 'pull_request' })).body.data.result).to.equal('ignored')
  })
})
