import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { organizationSyncJob } from '#actors/account/organization/sync.ts'
import type { Tools } from '#actors/tools.ts'
import type { EffectCall } from '#engine/run/effect.ts'
import { gcpCloud } from '#streams/cloud/gcp/connector.ts'
import { organizationPermissions } from '#streams/cloud/gcp/permission/organization.ts'
import { VirtualClock } from '#test/streams/cloud/virtual-clock.ts'
import {
  account,
  fails,
  farGoogle,
  refusing,
  serviceAccount,
  type Answer,
  type FarGoogle,
  type Question,
} from './far-google.ts'

const parent = 'organizations/9'
/** Folder `n` lies in folder `n / 3`, rounded down; 1 and 2 in the organization. */
const foldersMax = 99
const above = (n: number) => (n < 3 ? parent : `folders/${Math.floor(n / 3)}`)
const folders = Array.from({ length: foldersMax }, (_, n) => ({
  name: `folders/${n + 1}`,
  displayName: `F${n + 1}`,
  parent: above(n + 1),
}))
/** 50 in each of the 99 folders and in the organization. */
const projects = Array.from({ length: 5000 }, (_, n) => ({
  projectId: `project-${n}`,
  displayName: `Project ${n}`,
  labels: { env: n % 2 === 0 ? 'prod' : 'dev' },
  state: n === 7 ? 'DELETE_REQUESTED' : 'ACTIVE',
  parent: n < 50 ? parent : `folders/${Math.floor(n / 50)}`,
}))

/** Google gives fewer than are asked for. */
const pageSize = 30

function page({ path, query }: Question): Answer {
  const member = path === '/v3/projects' ? 'projects' : 'folders'
  if (path !== `/v3/${member}`) return refusing(404, 'notFound')
  const all = (member === 'projects' ? projects : folders).filter((one) => one.parent === query.get('parent'))
  const from = Number(query.get('pageToken') ?? 0)
  const next = from + pageSize
  return { body: { [member]: all.slice(from, next), ...(next < all.length && { nextPageToken: String(next) }) } }
}

const isOf = ({ path, query }: Question, list: string, of: string) => path === list && query.get('parent') === of

describe('the projects of a folder or an organization of Google Cloud', () => {
  let far: FarGoogle
  const cloud = async (answer: (question: Question) => Answer) => {
    far = await farGoogle(answer)
    return gcpCloud({ ...far.options, clock: new VirtualClock(), allowPrivate: true })
  }
  const listing = async (answer: (question: Question) => Answer, of: string | undefined = parent) =>
    (await cloud(answer)).organization!.list(account, { withTags: true, parent: of })
  afterEach(() => far.close())

  it('are listed folder by folder and page by page: 5,000 with their folders, labels and state', async () => {
    const { accounts } = await listing(page)
    expect([accounts.length, new Set(accounts.map(({ externalId }) => externalId)).size]).to.deep.equal([5000, 5000])
    const of = (n: number) => accounts.find(({ externalId }) => externalId === `project-${n}`)
    expect(of(7)).to.deep.equal({
      externalId: 'project-7',
      name: 'Project 7',
      path: '/',
      tags: { env: 'dev' },
      isActive: false,
    })
    // Folder 99 lies in 33, that in 11, that in 3, that in 1.
    expect(of(4999)).to.deep.include({ path: '/F1/F3/F11/F33/F99', tags: { env: 'dev' }, isActive: true })
    // Two pages of projects and one of folders in each of 99 folders and the organization.
    expect(far.asked.length).to.equal(300)
  })

  it('are those below the folder alone where one is named', async () => {
    const { accounts } = await listing(page, 'folders/33')
    expect(accounts.length).to.equal(50 * 2)
    expect(new Set(accounts.map(({ path }) => path))).to.deep.equal(new Set(['/', '/F99']))
  })

  it('are asked for again while Google is busy', async () => {
    let times = 0
    const busy = (question: Question) => isOf(question, '/v3/projects', 'folders/5') && times++ < 2
    const { accounts } = await listing(
      (question) => (busy(question) ? refusing(429, 'rateLimitExceeded') : page(question)),
      'folders/5',
    )
    // Folders 15 to 17 lie in 5, and 45 to 53 in those.
    expect(accounts.length).to.equal(50 * 13)
  })

  const faults: [why: string, fault: string, answer: (question: Question) => Answer | undefined][] = [
    [
      'a folder is refused',
      'user_action permission_missing',
      (question) => (isOf(question, '/v3/folders', 'folders/5') ? refusing(403, 'PERMISSION_DENIED') : undefined),
    ],
    [
      'the second page of a folder fails',
      'transient cloud_unavailable',
      (question) =>
        isOf(question, '/v3/projects', 'folders/5') && question.query.get('pageToken') === '30'
          ? refusing(503, 'backendError')
          : undefined,
    ],
    [
      'Google stays busy',
      'transient throttled',
      (question) => (isOf(question, '/v3/projects', 'folders/5') ? refusing(429, 'rateLimitExceeded') : undefined),
    ],
    [
      'an answer breaks off',
      'system unknown_answer',
      (question) => (isOf(question, '/v3/projects', 'folders/5') ? { body: '{"projects": [{"projec' } : undefined),
    ],
    [
      'an answer is of another shape',
      'system unknown_answer',
      (question) => (isOf(question, '/v3/folders', 'folders/5') ? { body: { folders: [{}] } } : undefined),
    ],
  ]
  for (const [why, fault, answer] of faults)
    it(`are not told in part where ${why}`, async () => {
      expect(await fails(listing((question) => answer(question) ?? page(question)))).to.equal(fault)
    })

  it('need a folder or an organization that is named', async () => {
    far = await farGoogle(page)
    const reader = gcpCloud({ ...far.options, clock: new VirtualClock(), allowPrivate: true }).organization!
    expect(await fails(reader.list(account, { withTags: true }))).to.equal('user_action parent_missing')
    expect(far.asked).to.deep.equal([])
  })

  it('are asked by the same service account, without what else the account has', () => {
    const reader = gcpCloud({} as never).organization!
    const own = { ...account, credentials: { serviceAccount, odd: 1 } }
    expect(reader.credentialsFor(own, 'project-1', '')).to.deep.equal({ serviceAccount })
  })

  it('need the permissions that are printed, and no other', () => {
    const source = readFileSync(
      new URL('../../../../streams/cloud/gcp/permission/organization.ts', import.meta.url),
      'utf8',
    )
    const asked = [...source.matchAll(/permission: '([\w.]+)'/g)].map(([, name]) => name!)
    expect(asked.toSorted()).to.deep.equal(organizationPermissions)
  })

  describe('when they are followed', () => {
    const manager = {
      ...account,
      id: 'acct-1',
      credentials: account.credentials as unknown,
      billingExport: null,
      status: 'connected',
      membership: null as object | null,
      organization: { parent: 'folders/5', include: { paths: ['/F15'] }, exclude: { tags: { env: ['dev'] } } },
      organizationState: null,
      lastVerifiedAt: null,
    }
    const member = (n: number, more: object = {}) => ({
      ...manager,
      id: `id-${n}`,
      externalId: `project-${n}`,
      organization: null,
      membership: {
        managedBy: 'acct-1',
        name: `Project ${n}`,
        path: '/F15',
        tags: { env: 'prod' },
        status: 'active',
        isManaged: true,
        isDisabled: false,
        roleName: '',
        ...more,
      },
    })

    /** What a look publishes: `action id`, and the message of the last one. */
    const look = async (answer: (question: Question) => Answer, rows: object[]) => {
      const said: string[] = []
      const publish = async ({ subject, data }: { subject: { name: string }; data: any }) => {
        if (subject.name === 'account.listed') said.push(`${data.action} ${data.externalId}`)
        if (subject.name === 'account.organization_synced') said.push(`listed ${data.listed} ${data.message}`)
      }
      const connector = await cloud(answer)
      const tools = {
        reads: { rows: async () => rows },
        publisher: { publish, report: publish },
        cloudOf: () => ({ ...connector, verify: async () => ({ verdict: 'none', missingPermissions: [] }) }),
        open: (_: unknown, __: unknown, sealed: unknown) => sealed,
        seal: (_: unknown, __: unknown, open: unknown) => open,
        now: () => new Date(0),
      }
      const call = { orgId: 'org-1', key: 'k', attempt: 1, signal: new AbortController().signal }
      await organizationSyncJob(tools as unknown as Tools)({} as never, call as unknown as EffectCall)
      return said
    }

    it('connect by folder and label, and leave when Google lists them no more', async () => {
      // 752 is connected by the credentials that the account has now.
      const print = createHash('sha256').update(JSON.stringify(account.credentials)).digest('hex').slice(0, 16)
      const known = [member(750), member(752, { roleName: print }), member(999_999)]
      const said = await look(page, [manager, ...known])
      // Of folder 15 and of 45 to 47 below it half are of production.
      const connected = [15, 45, 46, 47].flatMap((folder) => Array.from({ length: 25 }, (_, n) => folder * 50 + 2 * n))
      expect(said.toSorted()).to.deep.equal(
        [
          ...connected.filter((n) => n !== 750 && n !== 752).map((n) => `connect project-${n}`),
          'update project-750',
          'disable project-999999',
          'listed 650 null',
        ].toSorted(),
      )
    })

    for (const [why, , answer] of faults)
      it(`lose none where ${why}`, async () => {
        const [only, ...more] = await look((question) => answer(question) ?? page(question), [manager, member(999_999)])
        expect(more).to.deep.equal([])
        expect(only).to.match(/^listed 0 cloudresourcemanager/)
      })
  })
})
