/** A scheduled export of the demo organization, into a bucket of the simulated cloud: files in the data folder. */
import { makeExport } from '#actors/export/schedule/change.ts'
import { ExportSchedule } from '#actors/export/schedule/entity.ts'
import { exportRunRequested } from '#streams/export.ts'
import { demoAccountId } from '#config/demo/cloud/account.ts'
import { demoOwner } from './owner.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const name = 'Data warehouse'

/** Runs it once, so that there is a run to see. Does nothing if there is an export of that name. */
export async function makeExportSchedule(running: Running, orgId: string): Promise<void> {
  const { connections, product } = running
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  const ownerId = (await demoOwner(connections, orgId)) ?? ''
  const cloudAccountId = await demoAccountId(running, orgId, { provider: 'aws', externalId: 'sim-aws-production' })
  await to.change(async (change) => {
    if ((await change.em.count(ExportSchedule, { orgId, name })) > 0) return
    const { id: scheduleId } = await makeExport(
      change,
      ownerId,
      {
        name,
        destination: {
          kind: 's3',
          place: { bucket: 'example-finops', region: 'us-east-1' },
          prefix: 'tidemark/focus',
          cloudAccountId,
          credentials: undefined,
        },
        format: 'parquet',
        version: '1.4',
        times: { every: 'day', day: 1, hour: 6, timezone: 'UTC' },
        isOn: true,
      },
      to.seal,
    )
    await change.tell(exportRunRequested, { scheduleId, months: [] })
  })
}
