import { expect } from 'chai'
import { decoder } from '#engine/value/schema.ts'
import { configSchemas } from '#actors/catalog/config/config.ts'
import { provisioning } from '#http/catalog/routes.ts'
import type { Keywords } from '#http/edge/request/keywords.ts'

/** The endpoints of the interface: method, path, permission, status of success. */
const job = '/provisioning-jobs/:jobID'
const database = `${job}/databases/:dbID`

const ofConnections = (above: string): string[] => [
  `POST ${above}/connections provisioning.create 201`,
  `GET ${above}/connections provisioning.view 200`,
  `GET ${above}/connections/:connID provisioning.view 200`,
  `DELETE ${above}/connections/:connID provisioning.delete 204`,
]

const endpoints: readonly string[] = [
  'POST /spaces space.create 201',
  'GET /spaces space.view 200',
  'GET /spaces/:spaceID space.view 200',
  'PATCH /spaces/:spaceID space.update 200',
  'DELETE /spaces/:spaceID space.delete 204',
  'POST /provisioning-jobs provisioning.create 202',
  'GET /provisioning-jobs provisioning.view 200',
  'GET /provisioning-jobs/:id provisioning.view 200',
  'PATCH /provisioning-jobs/:id provisioning.update 200',
  'PUT /provisioning-jobs/:id provisioning.update 200',
  'DELETE /provisioning-jobs/:id provisioning.delete 202',
  'POST /provisioning-jobs/:id/retry provisioning.update 202',
  `POST ${job}/databases provisioning.create 201`,
  `GET ${job}/databases provisioning.view 200`,
  `GET ${database} provisioning.view 200`,
  `DELETE ${database} provisioning.delete 204`,
  ...ofConnections(job),
  ...ofConnections(database),
  'GET /catalog/components provisioning.view 200',
  'POST /provisioning-jobs/install-component provisioning.create 202',
  // Besides:
  'POST /provisioning-jobs/estimate provisioning.view 200',
  'GET /provisioning-jobs/:id/drift provisioning.view 200',
  'GET /catalog/components/:componentID provisioning.view 200',
]

const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`

describe('the routes of spaces, provisioning and the catalog', () => {
  it('are those of the interface, with its permissions and statuses, and three besides [PROV-01] [PROV-02] [PROV-06] [PROV-20] [CAT-01] [G-17]', () => {
    const found = provisioning.map((route) => `${nameOf(route)} ${route.permission} ${route.status ?? 200}`)
    expect(found).to.have.members(endpoints)
  })

  it('find what has no id of its own before what has one', () => {
    const names = provisioning.map(nameOf)
    for (const name of ['POST /provisioning-jobs/install-component', 'POST /provisioning-jobs/estimate'])
      expect(names.indexOf(name), name).to.be.below(names.indexOf('POST /provisioning-jobs/:id/retry'))
  })

  it('show what they answer by examples of that very shape', () => {
    const shown = provisioning.flatMap((route) => {
      const schema = route.reply as (Keywords & { examples?: unknown[] }) | undefined
      const { examples } = schema?.items ? (schema.items as typeof schema) : (schema ?? {})
      return (examples ?? []).map((example) => [nameOf(route), schema, example] as const)
    })
    expect(new Set(shown.map(([name]) => name)).size).to.be.above(20)
    for (const [name, schema, example] of shown) {
      const given = schema!.items ? [example] : example
      expect(() => decoder(schema as never)(given), name).to.not.throw()
    }
  })

  it('take no secret in any config', () => {
    const names = (schema: unknown): string[] => {
      if (typeof schema !== 'object' || schema === null) return []
      return [...Object.keys((schema as Keywords).properties ?? {}), ...Object.values(schema).flatMap(names)]
    }
    // An ARN is the name of a secret.
    expect(names(configSchemas).filter((name) => /(password|token|secret|key)(?!ARN$)/i.test(name))).to.deep.equal([])
  })
})
