import { command, storeCommand } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { argument, optional, toggle } from '#config/command/line/flag.ts'
import { stderrLog } from '#config/process/report.ts'
import { readSettings } from '#config/settings/settings.ts'

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const organizations = (billedUsd: Readonly<Record<string, string>>): string =>
  `${Object.keys(billedUsd).length} organizations with costs`

export const backupCommands: readonly Command[] = [
  storeCommand({
    name: 'backup',
    summary: 'Back up PostgreSQL and ClickHouse to a folder or an object store while the product runs',
    takes: {
      dir: argument('DIR', 'New or empty folder on a local or mounted disk, or s3://BUCKET/PREFIX'),
      base: optional(
        'DIR',
        'An earlier backup, in a folder or at s3:// like the new one: its ClickHouse files are used again where nothing changed',
      ),
      'with-key': toggle(
        'Include credentials.key, which decrypts stored credentials. Keep such a backup as safe as the key',
      ),
    },
    run: async ({ connections }, { dir, base, 'with-key': withKey }) => {
      const { takeBackup } = await import('#config/state/backup/take-backup.ts')
      const { manifest, bytes, reused } = await takeBackup(connections, dir, { base, withKey })
      const { installation, startedAt, finishedAt, billedUsd, postgres, clickhouse, key } = manifest
      const files = postgres.length + clickhouse.length
      const text = [
        `Backed up to ${dir}: ${files} files, ${megabytes(bytes)}, ${organizations(billedUsd)}.`,
        ...(base === undefined ? [] : [`${reused} files are unchanged since ${base}.`]),
        key
          ? 'The backup includes credentials.key. Anyone who has it can decrypt stored credentials.'
          : 'credentials.key is not included. Keep a copy of it elsewhere: without it, stored credentials cannot be decrypted.',
        `To check it: tidemark backup verify ${dir}`,
      ]
      const data = { installation, startedAt, finishedAt, files, bytes, reused, billedUsd, hasKey: key !== undefined }
      return { data, text: text.join('\n') }
    },
  }),
  command({
    name: 'backup verify',
    summary: 'Check a backup: its hashes, row counts and costs per organization',
    takes: { dir: argument('DIR', 'Folder of the backup, or s3://BUCKET/PREFIX') },
    exitCodes: { 'exit code 1': 'the backup is damaged or incomplete' },
    run: async ({ dir }) => {
      const { verifyBackup } = await import('#config/state/backup/verify-backup.ts')
      const { asFolder } = await import('#config/state/backup/s3-backup.ts')
      const { manifest, files, problems } = await asFolder(dir, readSettings, verifyBackup)
      const { version, installation, startedAt, billedUsd } = manifest
      const data = { version, installation, startedAt, files, billedUsd, problems }
      if (problems.length > 0) return { data, text: [`${dir} is damaged:`, ...problems].join('\n'), code: 1 }
      const text = `${dir} is complete: ${files} files of ${startedAt}, version ${version}, ${organizations(billedUsd)}.`
      return { data, text }
    },
  }),
  command({
    name: 'restore',
    summary: 'Restore a backup into an empty data folder or empty stores',
    takes: { dir: argument('DIR', 'Folder of the backup, or s3://BUCKET/PREFIX') },
    run: async ({ dir }) => {
      const settings = readSettings()
      const report = stderrLog('error')
      const { asFolder } = await import('#config/state/backup/s3-backup.ts')
      const { checkedBackup, restoreBackup } = await import('#config/state/backup/restore-backup.ts')
      const { ownStores } = await import('#config/state/own-stores.ts')
      const { urlsOf } = await import('#config/product/product.ts')
      const { manifest, done, again, hasKey } = await asFolder(dir, readSettings, async (folder) => {
        const checked = await checkedBackup(folder, settings)
        const stores = await ownStores(settings, report)
        return restoreBackup(settings, urlsOf(stores), report, folder, checked).finally(() => stores.stop())
      })
      const text = [
        `Restored the backup of ${manifest.startedAt}, ${organizations(manifest.billedUsd)}.`,
        ...done,
        again > 0
          ? `${again} messages that are still in the streams will be processed again at the next start.`
          : 'The streams have no messages since the backup.',
        `Producers must send again what they have sent since ${manifest.sendAgainFrom} and what the streams do not have. Repeats have no effect.`,
        ...(hasKey
          ? []
          : [
              `Before you start: put your copy of credentials.key into ${settings.dataDir}, or set CREDENTIALS_KEY. Otherwise stored credentials cannot be decrypted.`,
            ]),
      ]
      const { installation, startedAt, sendAgainFrom, billedUsd } = manifest
      return {
        data: { installation, startedAt, sendAgainFrom, billedUsd, done, again, hasKey },
        text: text.join('\n'),
      }
    },
  }),
]
