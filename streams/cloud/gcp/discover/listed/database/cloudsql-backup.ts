import { t } from '#engine/value/schema.ts'
import { some, text } from '#streams/cloud/gcp/answer/field.ts'
import { listType, pagesOf, uidIn } from '#streams/cloud/gcp/discover/listed.ts'
import { numberOf, timeOf } from '#streams/cloud/gcp/map/resource.ts'
import { fullName, lastOf } from '#streams/cloud/gcp/resource-path.ts'

const Backup = t.Object({
  name: t.String(),
  instance: text,
  type: text,
  state: text,
  location: text,
  backupInterval: some({ startTime: text }),
  instanceDeletionTime: text,
  expiryTime: text,
  maxChargeableBytes: text,
})

const backupsIn = pagesOf(
  (project) => ({
    service: 'sqladmin',
    path: `/projects/${project}/backups`,
    query: { pageSize: 500 },
    permission: 'cloudsql.backupRuns.list',
  }),
  'backups',
  Backup,
)

const sourceOf = ({ name, instance }: { name: string; instance?: string }): string | undefined =>
  instance && fullName('cloudsql', `${name.replace(/\/backups\/[^/]+$/, '')}/instances/${lastOf(instance)}`)

/** With those that outlive their server. */
export const cloudsqlBackups = listType(backupsIn, {
  type: 'gcp-cloudsql-backup',
  permissions: ['cloudsql.backupRuns.list'],
  isOwn: ({ state }) => state === undefined || state === 'SUCCESSFUL',
  uid: ({ name }, place) => uidIn('cloudsql', name, place),
  fields: (one) => ({ name: lastOf(one.name), region: one.location ?? '', parentUID: sourceOf(one) }),
  specs: {
    created_at: ({ backupInterval }) => timeOf(backupInterval?.startTime),
    state: ({ state }) => state,
    backup_type: ({ type }) => type,
    source_instance: sourceOf,
    expires_at: ({ expiryTime }) => timeOf(expiryTime) ?? null,
    stored_gb: ({ maxChargeableBytes }) => {
      const bytes = numberOf(maxChargeableBytes)
      return bytes === undefined ? undefined : Number((bytes / 1e9).toFixed(3))
    },
    source_exists: ({ instanceDeletionTime }) => (instanceDeletionTime === undefined ? undefined : false),
  },
})
