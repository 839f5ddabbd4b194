/** Takes an upload in: its lines are published while its files arrive, and how far it is can be seen meanwhile. */
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
/** How often whoever looks sees how far it is, milliseconds. */
const tellMs = 1000
/** How long the answer waits for the engine to read the lines: without it the upload is there, and `storing`. */
const waitMs = 30_000

/** @throws Fault: why it is broken; nothing of it counts then */
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
  const sender = bills.sender()
  const reading = new UploadReading(given, sender)
  const endTelling = tellRegularly(reading, at, services)
  try {
    let files = 0
    await readUploads(request, bounds, (file, name) => {
      files++
      return reading.read(nameOf(name ?? given.fileName, files), file)
    })
    const lanes = await sender.end()
    await endTelling()
    await endReading(em, at, reading.report(), lanes, now())
  } catch (error) {
    await endTelling()
    // What is on its way has gone.
    await sender.end().catch(() => {})
    const { message, kind } = Fault.from(error)
    await breakUpload(em, at, kind === 'defect' ? 'Internal error.' : message, reading.report())
    throw error
  }
  return moveOn(em, await foundUpload(em, orgId, given.id, now()), bills, waitMs)
}

/** Without what no text may hold. */
const nameOf = (name: string, n: number): string =>
  name
    .replaceAll(/[\p{Cc}\ufffd]/gu, '')
    .slice(0, nameMax)
    .toWellFormed() || `file ${n}`

/** Until the call that comes back, which resolves when the last word is written. Whoever discards the upload ends its reading. */
function tellRegularly(
  reading: UploadReading,
  at: { orgId: string; id: string },
  services: Services,
): () => Promise<void> {
  let last = Promise.resolve()
  let isTelling = false
  const tell = async () => {
    isTelling = true
    // A store that is away for a moment is no reason to end.
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
