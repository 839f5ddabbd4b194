import { expect } from 'chai'
import { azureCloud } from '#streams/cloud/azure/connector.ts'
import { account, answerServer, fails, subscription, type AnswerServer, type Question } from './answer-server.ts'

const group = (name: string) => ({ name: name.toLowerCase(), displayName: name })
const root = group('Tenant Root Group')
const rows = [
  { subscriptionId: subscription.toUpperCase(), name: 'Production', state: 'Enabled', groups: [root] },
  {
    subscriptionId: 'b',
    name: 'Payments',
    tags: { env: 'prod', odd: null },
    state: 'Warned',
    groups: [group('Pay/EU'), group('Production'), root],
  },
  { subscriptionId: 'c', name: null, tags: null, state: 'Disabled', groups: null },
]

describe('the management groups of Azure', () => {
  let server: AnswerServer | undefined
  afterEach(() => server?.close())
  const listing = async (answer: (question: Question) => object) => {
    server = await answerServer((question) => ({ body: answer(question) }))
    const reader = azureCloud(server.options).organization!
    return reader.list(account, { withTags: true })
  }

  it('are listed with the path from below the root, tags and state of every subscription, by one query', async () => {
    const found = await listing(() => ({ totalRecords: 3, data: rows }))
    expect(found).to.deep.equal({
      managementId: subscription,
      accounts: [
        { externalId: subscription, name: 'Production', path: '/', tags: {}, isActive: true },
        { externalId: 'b', name: 'Payments', path: '/Production/Pay-EU', tags: { env: 'prod' }, isActive: true },
        { externalId: 'c', name: 'c', path: '/', tags: {}, isActive: false },
      ],
    })
    expect(server!.asked.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /providers/Microsoft.ResourceGraph/resources',
    ])
  })

  it('are read page by page: 5,000 subscriptions by five calls', async () => {
    const all = Array.from({ length: 5000 }, (_, n) => ({ subscriptionId: n === 0 ? subscription : `s-${n}` }))
    const { accounts } = await listing(({ body }) => {
      const from = Number(body.options.$skipToken ?? 0)
      const next = from + body.options.$top
      return { totalRecords: 5000, data: all.slice(from, next), ...(next < 5000 && { $skipToken: String(next) }) }
    })
    expect([accounts.length, new Set(accounts.map(({ externalId }) => externalId)).size]).to.deep.equal([5000, 5000])
    expect(server!.asked.length).to.equal(5)
  })

  it('are not taken from an answer that leaves subscriptions out, or cannot be read', async () => {
    for (const answer of [
      { totalRecords: 4, data: rows },
      { totalRecords: 2, data: rows.slice(1) },
      { totalRecords: 1, data: [{}] },
      {},
    ]) {
      expect(await fails(listing(() => answer))).to.equal('system unknown_answer')
      await server?.close()
      server = undefined
    }
  })

  it('let subscriptions be asked by the same application, without what belongs to one alone', () => {
    const own = { ...account, credentials: { ...(account.credentials as object), kubeconfigs: { c: 'x' } } }
    const reader = azureCloud({} as never).organization!
    expect(reader.credentialsFor(own, 'b', 'tidemark')).to.deep.equal(account.credentials)
  })
})
