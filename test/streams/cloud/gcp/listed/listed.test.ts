import { expect } from 'chai'
import { listedTypes } from '#streams/cloud/gcp/discover/listed/index.ts'
import { project, scanned } from '../world.ts'
import { computeCases } from './compute.ts'
import { databaseCases } from './database.ts'
import { analyticsCases } from './analytics.ts'
import { networkCases } from './network.ts'
import { managementCases } from './management.ts'
import { at, created_at, inDays } from './case.ts'
import { account, denied, refusing, type Answer, type Question } from '../far-google.ts'

const cases = [...computeCases, ...databaseCases, ...analyticsCases, ...networkCases, ...managementCases]

const endsAt = inDays(20)

const answerOf =
  (answers: Readonly<Record<string, object>>) =>
  ({ path }: Question): Answer =>
    answers[path] ? { body: answers[path] } : refusing(404, 'notFound')

describe('types of Google Cloud that are described by one value each', () => {
  for (const { type, answers, found: expected } of cases)
    it(`finds ${type} with all that rules read of it`, async () => {
      const { found, missing, message } = await scanned(answerOf(answers), { only: new Set([type]) })
      const own = found.filter((one) => one.type === type)
      expect(own).to.deep.equal(expected.map((one) => ({ type, provider: 'gcp', tags: {}, status: 'running', ...one })))
      expect([missing, message]).to.deep.equal([[], undefined])
    })

  it('has a case of each', () => {
    const types = listedTypes.flatMap((one) => one.types)
    expect(cases.map(({ type }) => type).toSorted()).to.deep.equal(types.toSorted())
  })

  it('names the permission that the list of each needs, and deletes nothing without it', async () => {
    for (const { type, permissions } of listedTypes.map((one) => ({ ...one, type: one.types[0]! }))) {
      // Images come after machines and disks.
      if (type === 'gcp-image') continue
      const { missing, seen } = await scanned(() => denied(permissions[0]!), { only: new Set([type]) })
      expect(missing.length, type).to.equal(1)
      expect(seen, type).to.deep.equal([])
    }
  })

  const spend = (id: string, more: object = {}) => ({
    billing_account_id: '010101-F0FFF0-10XX01',
    cud_product: { id: 'p', display_name: 'Flexible CUD', type: 'Spend-Based' },
    subscription: { instance_id: id, display_name: 'web' },
    region: 'global',
    commitent_amount: { unit: '$/hr', value: 0.5 },
    term: 'P3Y',
    start_time: at,
    end_time: endsAt,
    state: 'Active',
    ...more,
  })
  const inExport = (...lines: object[]) => ({
    jobComplete: true,
    jobReference: { projectId: 'shop-bills', jobId: 'job_1', location: 'EU' },
    schema: { fields: [{ name: 'line', type: 'STRING' }] },
    rows: lines.map((line) => ({ f: [{ v: JSON.stringify(line) }] })),
  })
  const queries = '/bigquery/v2/projects/shop-bills/queries'
  const commitmentsOf = (answer: (question: Question) => Answer) =>
    scanned(answer, {
      only: new Set(['gcp-commitment']),
      of: { ...account, billingExport: { kind: 'bigquery', location: 'bigquery://shop-bills/export' } },
    })

  it('finds commitments to an amount in the export of them, once each, under the id that bills name', async () => {
    const { found, missing, far } = await commitmentsOf(({ path }) =>
      path === queries
        ? {
            body: inExport(
              spend('id-1', { state: 'Expired' }),
              spend('id-1'),
              spend('id-2', { commitent_amount: { unit: 'vCPU', value: '2' } }),
            ),
          }
        : { body: { items: {} } },
    )
    const specs = {
      created_at,
      state: 'ACTIVE',
      commitment_type: 'Flexible CUD',
      plan: 'THIRTY_SIX_MONTH',
      end: endsAt,
      days_to_end: 20,
    }
    const usual = {
      type: 'gcp-commitment',
      provider: 'gcp',
      name: 'web',
      region: 'global',
      tags: {},
      status: 'running',
    }
    expect(found).to.deep.equal([
      { ...usual, resourceUid: 'id-1', specs: { ...specs, commitment_hourly: 0.5 } },
      { ...usual, resourceUid: 'id-2', specs },
    ])
    expect(missing).to.deep.equal([])
    const { query } = far.questions.find(({ path }) => path === queries)!.body
    expect(query).to.include('FROM `shop-bills.export.cud_subscriptions_export`')
  })

  it('has no commitments to an amount where they are not exported, and names what the role does not allow', async () => {
    const listed =
      (other: Answer) =>
      ({ path }: Question) =>
        path === queries ? other : { body: { items: {} } }
    const none = await commitmentsOf(listed(refusing(404, 'notFound')))
    expect([none.found, none.missing]).to.deep.equal([[], []])
    const refused = await commitmentsOf(listed(denied('bigquery.jobs.create')))
    expect([refused.found, refused.missing]).to.deep.equal([[], ['bigquery.jobs.create']])
  })

  it('counts nothing as seen of which Google says that some of it could not be reached', async () => {
    const path = `/v1/projects/${project}/instances`
    const { seen } = await scanned(
      answerOf({ [path]: { instances: [], unreachable: [`projects/${project}/instances/a`] } }),
      {
        only: new Set(['gcp-spanner']),
      },
    )
    expect(seen).to.deep.equal([])
    const clusters = { clusters: [], failedLocations: [`projects/${project}/locations/us-central1-a`] }
    const partly = await scanned(answerOf({ [`/v2/projects/${project}/instances/-/clusters`]: clusters }), {
      only: new Set(['gcp-bigtable']),
    })
    expect(partly.seen).to.deep.equal([{ types: ['gcp-bigtable'], regions: [], outsideOf: ['us-central1'] }])
  })

  it('keeps what is certain of a project where the rest is refused', async () => {
    const path = `/v3/projects/${project}`
    const { found, missing } = await scanned(
      (question) =>
        question.path === path
          ? { body: { name: 'projects/12', projectId: project, state: 'ACTIVE' } }
          : denied('serviceusage.services.get'),
      { only: new Set(['gcp-project']) },
    )
    expect(found.map(({ specs }) => specs)).to.deep.equal([{ lifecycle_state: 'ACTIVE' }])
    expect(missing).to.deep.equal(['serviceusage.services.get'])
  })
})
