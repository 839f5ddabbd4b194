/** What is counted of provisioning, of all organizations. */
import { expect } from 'chai'
import { Registry } from 'prom-client'
import { measureProvisioning } from '#config/wiring/metrics.ts'
import { changedRow, plantedDatabases, plantedProvisionings } from '#test/harness/catalog-edge.ts'
import { tenant } from '#test/harness/product.ts'

describe('metrics of provisioning', () => {
  const failed = (bucket: string, code: string) => ({ bucket, code, message: 'No.', retryable: false, stepName: 'x' })

  it('count databases that failed for a fault of the service, by its code [PROV-33]', async () => {
    const org = await tenant()
    const [first, second] = (await plantedDatabases(org, {}, {})) as [string, string]
    await changedRow(org, 'provisioned_database', first, { error: failed('system', 'metric_test_ours') })
    await changedRow(org, 'provisioned_database', second, { error: failed('user_action', 'metric_test_theirs') })
    const registry = new Registry()
    measureProvisioning(registry, org.connections.store.pool)
    const text = await registry.metrics()
    expect(text).to.match(/^tidemark_provision_unsupported\{code="metric_test_ours"\} 1$/m)
    expect(text).not.to.contain('metric_test_theirs')
  })

  it('stay as they are while the store is away', async () => {
    const org = await tenant()
    await plantedProvisionings(org, {})
    const { pool } = org.connections.store
    let isAway = false
    const query = (sql: string) => (isAway ? Promise.reject(new Error('away')) : pool.query(sql))
    const registry = new Registry()
    measureProvisioning(registry, { query } as never)
    const ready = async () => /^tidemark_provisioning_jobs\{phase="ready"\} (\d+)$/m.exec(await registry.metrics())?.[1]
    const before = await ready()
    expect(Number(before)).to.be.greaterThan(0)
    isAway = true
    expect(await ready()).to.equal(before)
  })
})
