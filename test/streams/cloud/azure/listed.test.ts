/** Types that are described by one value each: an answer as the API documents it, and the resource it becomes. */
import { expect } from 'chai'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { discoverAzure } from '#streams/cloud/azure/discover/discover.ts'
import { listedTypes } from '#streams/cloud/azure/discover/listed/index.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { account, answerServer, armError, tenant, type AnswerServer, type Question } from './answer-server.ts'
import type { ListedCase } from './listed/case.ts'
import { listedCases } from './listed/index.ts'
import { root } from './world.ts'

const now = Date.parse('2026-03-16T12:00:00Z')

describe('types of Azure that are described by one value each', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  const scan = async (type: string, answers: ListedCase['answers'], isRefused: (path: string) => boolean) => {
    server = await answerServer(({ path, method }: Question) => {
      if (isRefused(path)) return armError(403, 'AuthorizationFailed')
      const body = answers[`${method === 'POST' ? 'POST ' : ''}${path.replace(root, '')}`]
      // What has no setting of its own answers so.
      if (!body && path.endsWith('/default')) return armError(404, 'NotFound')
      return { body: body ?? { value: [] } }
    })
    const open = (one: typeof account, signal?: AbortSignal) => openAzure(one, server.options, signal)
    const discovery = discoverAzure({ open, now: () => now })(account, undefined, new Set([type]))
    const found: DiscoveredResource[] = []
    for await (const page of discovery.pages) found.push(...page)
    return { found, seen: discovery.seen, missing: discovery.missingPermissions ?? [] }
  }

  for (const { type, answers, wanted } of listedCases)
    it(`are found as they are listed: ${type}`, async () => {
      const { found, seen, missing } = await scan(type, answers, () => false)
      const plain = found.map(({ specs, tags: _tags, provider: _provider, ...more }) => {
        const { resource_id: _id, ...rest } = specs ?? {}
        return { ...more, specs: rest }
      })
      expect(plain).to.deep.equal(wanted.map((one) => ({ type, status: 'running', ...one })))
      expect([missing, seen]).to.deep.equal([[], [{ types: [type], regions: [] }]])
    })

  it('have a case each', () => {
    expect(listedCases.map(({ type }) => type).toSorted()).to.deep.equal(listedTypes.map(({ type }) => type).toSorted())
    return (server = { close: async () => {} } as AnswerServer)
  })

  it('are found where what is asked for besides is refused, which stays unknown and is named', async () => {
    const { type, answers } = listedCases.find((one) => one.type === 'azure-key-vault')!
    const { found, missing } = await scan(type, answers, (path) => path.endsWith('/secrets'))
    expect(
      found.map(({ name, specs }) => [name, specs?.['purge_protection'], specs?.['expiring_items']]),
    ).to.deep.equal([['vault', true, undefined]])
    expect(missing).to.deep.equal(['Microsoft.KeyVault/vaults/secrets/read'])
  })

  it('are those that the subscription pays, of reservations that the application sees in the tenant', async () => {
    const { type, answers } = listedCases.find((one) => one.type === 'azure-reservation')!
    const other = { id: '/providers/Microsoft.Capacity/reservationOrders/o/reservations/2', properties: {} }
    const [list] = Object.keys(answers) as [string]
    const { value } = answers[list] as { value: object[] }
    const { found } = await scan(type, { [list]: { value: [...value, other] } }, () => false)
    expect(found.length).to.equal(1)
  })

  it('are a subscription below a group unless that is the root of the tenant', async () => {
    const { type, answers } = listedCases.find((one) => one.type === 'azure-subscription')!
    const graph = 'POST /providers/Microsoft.ResourceGraph/resources'
    const below = { data: [{ tenantId: tenant, groups: [{ name: tenant }] }] }
    const { found } = await scan(type, { ...answers, [graph]: below }, () => false)
    expect(found[0]?.specs?.['management_group']).to.equal(false)
  })
})
