/** Where backups at an `s3://` address are, if not at AWS with its usual credentials. */
import { address, setting, text } from './setting.ts'

const none = undefined as string | undefined

export const backupSettings = {
  backupEndpoint: setting(
    'BACKUP_ENDPOINT',
    none,
    '',
    'Endpoint of the S3-compatible object store for backups; default: Amazon S3.',
    address('http:', 'https:'),
  ),
  backupRegion: setting('BACKUP_REGION', 'us-east-1', '', 'Region of the bucket for backups.', text),
  backupAccessKeyId: setting(
    'BACKUP_ACCESS_KEY_ID',
    none,
    '',
    'Access key for backups; default: the credentials of the environment, as the AWS command line finds them.',
    text,
  ),
  backupSecretAccessKey: setting('BACKUP_SECRET_ACCESS_KEY', none, '', 'Secret of that access key.', text),
}
