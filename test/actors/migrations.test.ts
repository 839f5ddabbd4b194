import { expect } from 'chai'
import { actorEntities } from '#actors/index.ts'
import { testProduct } from '#test/harness/product.ts'

describe('migrations', () => {
  it('leave the database exactly as the entities say: nothing to add, to change or to drop', async () => {
    const { orm } = (await testProduct()).connections
    const difference = await orm.schema.getUpdateSchemaSQL({ safe: false, dropTables: false })
    expect(difference.trim()).to.equal('')
  })

  it('make a table for every actor’s entity, with the organization first in its key', async () => {
    const { orm, store } = (await testProduct()).connections
    for (const entity of actorEntities) {
      const { tableName, primaryKeys } = orm.getMetadata().get(entity as never)
      expect(primaryKeys[0], tableName).to.equal('orgId')
      const found = await store.pool.query(
        `select a.attname as name from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
         where i.indrelid = $1::regclass and i.indisprimary`,
        [tableName],
      )
      expect(found.rows, tableName).to.deep.equal([{ name: 'org_id' }])
    }
  })
})
