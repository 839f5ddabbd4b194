/** Connected accounts: the account of a bill line is looked up here. */
import { t } from '#engine/value/schema.ts'
import { table } from '#engine/actor/table.ts'

/**
 * Accounts, as the account actor appends them; `removed` 1 means no longer connected. `external_id` is the sub-account
 * of lines about it.
 */
export const accountState = table({
  name: 'account_state',
  row: t.Object({
    org_id: t.String(),
    cloud_account_id: t.String(),
    provider: t.String(),
    external_id: t.String(),
    removed: t.Integer({ minimum: 0, maximum: 1 }),
  }),
})
