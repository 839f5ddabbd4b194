/** A scheduled export of the demo organization, into a bucket of the simulated cloud: files in the data folder. */
import { accountOf } from '#actors/account/queries.ts'
import { makeExport } from '#actors/export/schedule/change.ts'
import { ExportSchedule } from '#actors/export/schedule/entity.ts'
import { exportRunRequested } from '#streams/export.ts'
import { demoOwner } from './owner.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const name = 'Data warehouse'

/** Runs it once, so that there is a run to see. Does nothing if there is an export of that name, or the account is gone. */
export async function makeExportSchedule({ connections, product }: Running, orgId: string): Promise<void> {
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  const ownerId = (await demoOwner(connections, orgId)) ?? ''
  await to.change(async (change) => {
    const account = await accountOf(change.em, orgId, 'aws', 'sim-aws-production')
    if (!account || (await change.em.count(ExportSchedule, { orgId, name })) > 0) return
    const { id: scheduleId } = await makeExport(
      change,
      ownerId,
      {
        name,
        destination: {
          kind: 's3',
          place: { bucket: 'example-finops', region: 'us-east-1' },
          prefix: 'tidemark/focus',
          cloudAccountId: account.id,
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
