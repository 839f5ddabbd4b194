/** A push reaches only the organization that has proved that the repository is its own. */
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { link, setRepository } from '#config/command/deployment/installation.ts'
import { sourceOf } from '#config/wiring/source-settings.ts'
import { readSettings } from '#config/settings/settings.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { freshUrl, hook, ordersOf, plantedDeployment, plantedSpace, pushOf, revisionsOf } from '#test/harness/source.ts'

const number = (): number => Math.floor(Math.random() * 1e12) + 1
const codeOf = ({ status, body }: Answer) => [status, body.code ?? 'ok']
const nothing = { result: 'pending_link', revisionIDs: [] }

/** A push by an installation. */
const pushBy = (installation: number, url: string): string =>
  JSON.stringify({ ...(JSON.parse(pushOf(url)) as object), installation: { id: installation } })
const linkPush = (orgId: string, url: string): string => pushOf(url, undefined, `refs/heads/tidemark-link-${orgId}`)

const install = (id: number, ...urls: string[]) =>
  hook(
    JSON.stringify({
      action: 'created',
      installation: { id, account: { login: 'acme' } },
      repositories: urls.map((_, n) => ({ id: n + 1, full_name: urls[n]!.slice('https://github.com/'.length) })),
    }),
    { event: 'installation' },
  )
/** A repository at GitHub that no other test has. */
const atGitHub = (): string => `https://github.com/acme/${randomUUID()}`

describe('a push of an installation that nobody has linked', () => {
  let victim: Tenant
  let stranger: Tenant
  before(async () => {
    victim = await tenant()
    stranger = await tenant()
  })

  it('creates no revision and no build, in whatever organization its repository and branch are deployed [G-97] [HOOK-07]', async () => {
    const [url, id] = [atGitHub(), number()]
    const theirs = await plantedDeployment(stranger, { url })
    expect((await hook(pushBy(id, url))).body.data).to.deep.include(nothing)
    await install(id, url)
    const answer = await hook(pushBy(id, url))
    expect([answer.status, answer.body.data.result, answer.body.data.revisionIDs]).to.deep.equal([
      202,
      'pending_link',
      [],
    ])
    expect([await revisionsOf(stranger, theirs), await ordersOf(stranger)]).to.deep.equal([[], []])
    const ours = await plantedDeployment(victim, { url })
    await link(victim.connections, victim.orgId, String(id))
    expect((await hook(pushBy(id, url))).body.data).to.deep.include({ result: 'accepted' })
    expect(await revisionsOf(victim, ours)).to.have.length(1)
    expect(await revisionsOf(stranger, theirs)).to.deep.equal([])
    expect((await hook(pushOf(url))).body.data.revisionIDs, 'without an installation').to.have.length(1)
    expect(await revisionsOf(stranger, theirs)).to.deep.equal([])
  })

  it('tells a pull request of nobody either [G-97] [HOOK-10]', async () => {
    const [url, id] = [atGitHub(), number()]
    await plantedDeployment(stranger, { url })
    Object.assign(stranger.product.get(tokens.source), { apiUrl: 'http://127.0.0.1:9' })
    const raw = JSON.stringify({
      action: 'opened',
      number: 7,
      pull_request: { head: { sha: '4'.repeat(40) } },
      repository: { clone_url: url, full_name: 'acme/shop' },
      installation: { id },
    })
    const { body } = await hook(raw, { event: 'pull_request' })
    Object.assign(stranger.product.get(tokens.source), { apiUrl: undefined })
    expect(body.data).to.deep.include(nothing)
  })

  it('leaves a repository that another organization has linked to that one: nobody else names it in a deployment [G-97]', async () => {
    const [url, id] = [atGitHub(), number()]
    await install(id, url)
    await link(victim.connections, victim.orgId, String(id))
    const make = async (org: Tenant) => {
      const body = { name: 'Shop', spaceID: await plantedSpace(org), repositoryURL: `${url}.git`, branch: 'main' }
      return org.send('POST', '/deployments', body)
    }
    expect(codeOf(await make(stranger))).to.deep.equal([422, 'repository_not_linked'])
    expect(codeOf(await make(victim))).to.deep.equal([201, 'ok'])
    const own = await plantedDeployment(stranger, { url: freshUrl(), spaceId: await plantedSpace(stranger) })
    const led = await stranger.send('PATCH', `/deployments/${own}`, { repositoryURL: url })
    expect(codeOf(led)).to.deep.equal([422, 'repository_not_linked'])
  })
})

describe('a service with strangers', () => {
  let victim: Tenant
  let stranger: Tenant
  const open = (linksAreOpen: boolean) => Object.assign(victim.product.get(tokens.source), { linksAreOpen })
  before(async () => {
    victim = await tenant()
    stranger = await tenant()
    open(false)
  })
  after(() => open(true))

  const make = async (org: Tenant, repositoryURL: string) =>
    org.send('POST', '/deployments', {
      name: 'Shop',
      spaceID: await plantedSpace(org, { account: randomUUID() }),
      repositoryURL,
      branch: 'main',
    })

  it('is one that others reach, unless the operator says it [G-97]', () => {
    const isOpen = (given: Record<string, string>) => sourceOf(readSettings(given)).linksAreOpen
    for (const [given, expected] of [
      [{}, true],
      [{ HOST: '::1' }, true],
      [{ HOST: '0.0.0.0' }, false],
      [{ PUBLIC_URL: 'https://tidemark.example.com' }, false],
      [{ PUBLIC_URL: 'http://localhost:8080' }, true],
      [{ HOST: '0.0.0.0', SOURCE_LINKS: 'open' }, true],
      [{ SOURCE_LINKS: 'proven' }, false],
    ] as const)
      expect(isOpen(given), JSON.stringify(given)).to.equal(expected)
  })

  it('lets nobody deploy a repository before a branch that names the organization was pushed to it [G-97]', async () => {
    const url = freshUrl()
    expect((await hook(pushOf(url))).body.data).to.deep.include(nothing)
    const refused = await make(victim, url)
    expect(codeOf(refused)).to.deep.equal([422, 'repository_not_linked'])
    const branch = `tidemark-link-${victim.orgId}`
    expect(refused.body.branch).to.equal(branch)
    const pushed = await hook(linkPush(victim.orgId, url))
    expect(pushed.body.data).to.deep.include({ result: 'accepted', revisionIDs: [] })
    const made = await make(victim, url)
    expect(codeOf(made)).to.deep.equal([201, 'ok'])
    expect((await hook(pushOf(url))).body.data).to.deep.include({ result: 'accepted' })
    expect(await revisionsOf(victim, made.body.data.id)).to.have.length(1)
    const { items } = (await victim.get('/security-events?type=installation_linked')).body.data
    expect(items.map(({ detail }: any) => detail)).to.deep.equal([{ repository: url.slice(8, -4) }])
  })

  it('keeps a repository with who had it first, until an operator takes it away [G-97]', async () => {
    const url = freshUrl()
    await hook(linkPush(victim.orgId, url))
    expect((await hook(linkPush(stranger.orgId, url))).body.data.result).to.equal('ignored')
    expect((await hook(linkPush(randomUUID(), freshUrl()))).body.data.result, 'no organization').to.equal(
      'pending_link',
    )
    expect(codeOf(await make(stranger, url))).to.deep.equal([422, 'repository_not_linked'])
    await setRepository(victim.connections, victim.orgId, url, false)
    expect((await hook(pushOf(url))).body.data).to.deep.include(nothing)
    await setRepository(victim.connections, stranger.orgId, url, true)
    expect(codeOf(await make(stranger, url))).to.deep.equal([201, 'ok'])
    const taken = setRepository(victim.connections, victim.orgId, url, true)
    expect(await taken.catch(({ code }: { code: string }) => code)).to.equal('already_exists')
  })

  it('believes no account’s name and no guess about an installation, an operator alone [G-97] [HOOK-11]', async () => {
    const [url, id] = [atGitHub(), number()]
    const claim = (org: Tenant) =>
      org.send('POST', '/source-installations', { installationID: String(id), account: 'acme' })
    const statusOf = async (org: Tenant) => (await claim(org)).body.data.status
    expect(await statusOf(stranger)).to.equal('pending')
    await install(id, url)
    expect(await statusOf(stranger)).to.equal('pending')
    expect((await stranger.get('/source-repositories')).body.data).to.deep.equal([])
    await link(victim.connections, victim.orgId, String(id))
    expect(await statusOf(victim)).to.equal('linked')
    expect((await claim(stranger)).body.code).to.equal('already_exists')
    const seen = (await victim.get('/source-repositories')).body.data
    expect(seen.map((one: { url: string }) => one.url)).to.deep.equal([url])
    expect((await hook(linkPush(stranger.orgId, url))).body.data.result, 'of the installation’s').to.equal('ignored')
  })

  it('leaves a deployment as it is whose repository nobody has linked: it can be changed, but hears nothing [G-97]', async () => {
    const url = freshUrl()
    const id = await plantedDeployment(victim, { url, spaceId: await plantedSpace(victim, { account: 'acct-9' }) })
    const same = await victim.send('PATCH', `/deployments/${id}`, { name: 'Other', repositoryURL: url })
    expect(codeOf(same)).to.deep.equal([200, 'ok'])
    expect((await hook(pushOf(url))).body.data).to.deep.include(nothing)
    expect(await revisionsOf(victim, id)).to.deep.equal([])
  })
})
