/** Receives an upload: its lines are stored while its files arrive, and its progress is visible in the meantime. */
import type { IncomingMessage } from 'node:http'
import {
  beginUpload,
  breakUpload,
  endReading,
  foundUpload,
  moveOn,
  noteProgress,
  wasDiscarded,
} from '#actors/billing/upload.ts'
import type { BillUpload } from '#actors/billing/upload-entity.ts'
import { UploadReading, type UploadGiven } from '#actors/billing/upload-read.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Services } from '#http/edge/services.ts'
import { checkUpload, readUploads } from '#http/edge/request/upload.ts'

export const filesMax = 100
export const media = 'application/octet-stream'
const nameMax = 255
/** Milliseconds between progress reports. */
const tellMs = 1000
/** Milliseconds to wait for the engine to process the lines; after that the response has the state `storing`. */
const waitMs = 30_000

/** @throws Fault: why it is broken; none of it counts then */
export async function takeUpload(
  orgId: string,
  given: UploadGiven & { fileName: string },
  request: IncomingMessage,
  services: Services,
): Promise<BillUpload> {
  const { em, bills, now, change } = services
  const bounds = { media, bytesMax: bills.bytesMax, isLong: true, filesMax } as const
  checkUpload(request, bounds)
  await change((tx) => beginUpload(tx, given))
  const at = { orgId, id: given.id }
  const { id, cloudAccountId, exportedAt } = given
  const store = bills.store({ id, cloudAccountId, at: exportedAt.toISOString(), hiddenUntilEnd: true })
  const reading = new UploadReading(given, store.lines)
  const endTelling = tellRegularly(reading, at, services)
  try {
    let files = 0
    await readUploads(request, bounds, (file, name) => {
      files++
      return reading.read(nameOf(name ?? given.fileName, files), file)
    })
    await reading.finish()
    const lanes = await store.end()
    await endTelling()
    await endReading(em, at, reading.report(), lanes, now())
  } catch (error) {
    await endTelling()
    const { message, kind } = Fault.from(error)
    reading.close()
    await breakUpload(em, at, kind === 'defect' ? 'Internal error.' : message, reading.report())
    throw error
  }
  return moveOn(em, await foundUpload(em, orgId, given.id, now()), bills, waitMs)
}

/** Removes characters that text must not contain. */
const nameOf = (name: string, n: number): string =>
  name
    .replaceAll(/[\p{Cc}\ufffd]/gu, '')
    .slice(0, nameMax)
    .toWellFormed() || `file ${n}`

/**
 * Reports progress until the returned function is called, which resolves when the last report is written. If the upload
 * is discarded, reading stops.
 */
function tellRegularly(
  reading: UploadReading,
  at: { orgId: string; id: string },
  services: Services,
): () => Promise<void> {
  let last = Promise.resolve()
  let isTelling = false
  const tell = async () => {
    isTelling = true
    // A store that is briefly unavailable is no reason to stop.
    const isThere = await noteProgress(services.em, at, reading.report(), services.now()).catch(() => true)
    if (!isThere) reading.stop(wasDiscarded())
    isTelling = false
  }
  const every = setInterval(() => {
    if (!isTelling) last = tell()
  }, tellMs)
  return () => {
    clearInterval(every)
    return last
  }
}
