import { expect } from 'chai'
import { listedTypes } from '#streams/cloud/gcp/discover/listed/index.ts'
import { project, scanned } from '../world.ts'
import { computeCases } from './compute.ts'
import { databaseCases } from './database.ts'
import { analyticsCases } from './analytics.ts'
import { networkCases } from './network.ts'
import { managementCases } from './management.ts'
import { denied, refusing, type Answer, type Question } from '../far-google.ts'

const cases = [...computeCases, ...databaseCases, ...analyticsCases, ...networkCases, ...managementCases]

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
