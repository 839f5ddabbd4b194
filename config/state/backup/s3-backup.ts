/**
 * A backup in an object store, under `s3://bucket/prefix`. A marker is written first and the manifest last, so a prefix
 * with a marker and without a manifest is an interrupted backup.
 */
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type * as S3 from '@aws-sdk/client-s3'
import { Fault } from '#engine/value/fault.ts'
import type { Settings } from '#config/settings/settings.ts'
import { filesOf, manifestName, parseManifest, type BackupFile, type Manifest } from './manifest.ts'

const markerName = 'in-progress.json'
/** Milliseconds after which an unfinished backup is taken for interrupted: none takes longer. */
const abandonedMs = 86_400_000
/** Files that are moved at the same time. */
const together = 4
/** The largest object that is stored or copied at once. */
const objectBytesMax = 5 * 2 ** 30

const form = /^s3:\/\/([^/]+)\/(.*?)\/*$/

export const isS3 = (place: string): boolean => place.startsWith('s3://')

type Sdk = typeof S3

export class S3Backup {
  readonly place: string
  private readonly sdk: Sdk
  private readonly client: S3.S3Client
  private readonly bucket: string
  private readonly prefix: string

  private constructor(sdk: Sdk, client: S3.S3Client, place: string, bucket: string, prefix: string) {
    this.sdk = sdk
    this.client = client
    this.place = place
    this.bucket = bucket
    this.prefix = prefix
  }

  /** @throws Fault if the address has no bucket or no prefix */
  static async open(place: string, settings: Settings): Promise<S3Backup> {
    const [, bucket, prefix] = form.exec(place) ?? []
    if (!bucket || !prefix)
      throw Fault.refused('s3_address', `${place} is not an address such as s3://bucket/backups/2026-03-01.`)
    const sdk = await import('@aws-sdk/client-s3')
    const { backupEndpoint: endpoint, backupAccessKeyId: id, backupSecretAccessKey: secret } = settings
    const client = new sdk.S3Client({
      region: settings.backupRegion,
      ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
      ...(id !== undefined && { credentials: { accessKeyId: id, secretAccessKey: secret ?? '' } }),
    })
    return new S3Backup(sdk, client, place, bucket, `${prefix}/`)
  }

  /**
   * Makes the prefix this backup's own. Deletes what interrupted backups have left there, and next to it if they began
   * more than a day ago. @throws Fault `folder_not_empty` if there is a backup, or something else
   */
  async claim(now: number): Promise<void> {
    await this.deleteAbandoned(now)
    const names = await this.names()
    if (names.includes(markerName) && !names.includes(manifestName)) await this.deleteAll(names)
    else if (names.length > 0) throw Fault.refused('folder_not_empty', `${this.place} is not empty.`)
    await this.put(markerName, JSON.stringify({ startedAt: new Date(now).toISOString() }))
  }

  /** Stores the files of a folder, and copies those of an earlier backup within the object store. */
  async upload(
    folder: string,
    manifest: Manifest,
    base: S3Backup | undefined,
    reused: ReadonlySet<string>,
  ): Promise<void> {
    await inParallel(filesOf(manifest), async (file) => {
      if (file.bytes > objectBytesMax)
        throw Fault.refused('object_too_large', `${file.path} is larger than 5 GiB. Back up to a folder.`)
      if (base && reused.has(file.path)) return this.copyFrom(base, file)
      const body = createReadStream(path.join(folder, file.path))
      await this.put(file.path, body, file)
    })
    await this.put(manifestName, readFileSync(path.join(folder, manifestName)))
    await this.deleteAll([markerName])
  }

  /** @throws Fault `backup_incomplete` or `backup_unreadable` */
  async manifest(): Promise<Manifest> {
    const body = await this.get(manifestName)
    if (!body)
      throw Fault.refused(
        'backup_incomplete',
        `${this.place} has no ${manifestName}. It is not a backup, or the backup was interrupted.`,
      )
    return parseManifest(Buffer.concat(await body.toArray()).toString(), `${this.place}/${manifestName}`)
  }

  /** Writes files to the folder; those that are missing are left out. */
  async download(folder: string, files: readonly BackupFile[]): Promise<void> {
    await inParallel(files, async ({ path: name }) => {
      const body = await this.get(name)
      if (!body) return
      const file = path.join(folder, name)
      mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
      await pipeline(body, createWriteStream(file, { mode: 0o600 }))
    })
  }

  /** The whole backup as a folder. */
  async downloadAll(folder: string): Promise<void> {
    await this.download(folder, [...filesOf(await this.manifest()), { path: manifestName, bytes: 0, sha256: '' }])
  }

  close(): void {
    this.client.destroy()
  }

  /** With a checksum, the object store refuses content that arrives changed. */
  private async put(name: string, body: Readable | Buffer | string, file?: BackupFile): Promise<void> {
    await this.client.send(
      new this.sdk.PutObjectCommand({
        Bucket: this.bucket,
        Key: this.prefix + name,
        Body: body,
        ...(file && { ContentLength: file.bytes, ChecksumSHA256: Buffer.from(file.sha256, 'hex').toString('base64') }),
      }),
    )
  }

  private async copyFrom(base: S3Backup, { path: name }: BackupFile): Promise<void> {
    const source = [base.bucket, ...(base.prefix + name).split('/')].map(encodeURIComponent).join('/')
    await this.client.send(
      new this.sdk.CopyObjectCommand({ Bucket: this.bucket, Key: this.prefix + name, CopySource: source }),
    )
  }

  private async get(name: string): Promise<Readable | undefined> {
    try {
      const request = new this.sdk.GetObjectCommand({ Bucket: this.bucket, Key: this.prefix + name })
      return (await this.client.send(request)).Body as Readable
    } catch (error) {
      if (error instanceof this.sdk.NoSuchKey) return undefined
      throw error
    }
  }

  /** Names below the prefix. */
  private async names(): Promise<string[]> {
    const names: string[] = []
    const request = { Bucket: this.bucket, Prefix: this.prefix }
    for await (const { Contents = [] } of this.sdk.paginateListObjectsV2({ client: this.client }, request))
      names.push(...Contents.map(({ Key }) => Key!.slice(this.prefix.length)))
    return names
  }

  private async deleteAll(names: readonly string[]): Promise<void> {
    // The marker last: an interrupted deletion is continued by the next run.
    const ordered = names.toSorted((a, b) => Number(a === markerName) - Number(b === markerName))
    for (let from = 0; from < ordered.length; from += 1000) {
      const Objects = ordered.slice(from, from + 1000).map((name) => ({ Key: this.prefix + name }))
      await this.client.send(
        new this.sdk.DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } }),
      )
    }
  }

  private async deleteAbandoned(now: number): Promise<void> {
    const parent = this.prefix.replace(/[^/]+\/$/, '')
    const request = { Bucket: this.bucket, Prefix: parent, Delimiter: '/' }
    for await (const { CommonPrefixes = [] } of this.sdk.paginateListObjectsV2({ client: this.client }, request))
      for (const { Prefix } of CommonPrefixes) {
        const other = new S3Backup(this.sdk, this.client, `s3://${this.bucket}/${Prefix}`, this.bucket, Prefix!)
        const marker = await other.get(markerName)
        if (!marker) continue
        const { startedAt } = JSON.parse(Buffer.concat(await marker.toArray()).toString()) as { startedAt: string }
        if (now - Date.parse(startedAt) < abandonedMs) continue
        const names = await other.names()
        await other.deleteAll(names.includes(manifestName) ? [markerName] : names)
      }
  }
}

async function inParallel<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const rest = all.values()
  await Promise.all(
    Array.from({ length: together }, async () => {
      for (const one of rest) await work(one)
    }),
  )
}

/** Runs work with a backup as a folder: its own, or one with all objects of its address. */
export async function asFolder<T>(
  place: string,
  settings: () => Settings,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  if (!isS3(place)) return work(place)
  const given = settings()
  const backup = await S3Backup.open(place, given)
  try {
    return await withStaging(existsSync(given.dataDir) ? given.dataDir : tmpdir(), async (folder) => {
      await backup.downloadAll(folder)
      return work(folder)
    })
  } finally {
    backup.close()
  }
}

const stagingName = /^backup-(\d+)$/

/** Runs work with a folder that is deleted afterwards, and those of processes that were killed before. */
export async function withStaging<T>(dataDir: string, work: (folder: string) => Promise<T>): Promise<T> {
  for (const name of readdirSync(dataDir)) {
    const pid = stagingName.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(path.join(dataDir, name), { recursive: true })
  }
  const folder = path.join(dataDir, `backup-${process.pid}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
