/** Objects of the simulated cloud: files in its folder, below the provider and the bucket. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { keysMax, type ObjectStore, type StorePlace } from '#streams/delivery/object-store.ts'
import { beginCall, type Far } from './state/cloud-state.ts'

/** Every bucket exists, unless its name says otherwise: so people can see what a refusal looks like. */
const missing = /^missing-/

export function simulatedStore(
  far: Far,
  folder: string | undefined,
  { id, orgId, provider }: CloudAccount,
  { bucket, storageAccount = '' }: StorePlace,
): ObjectStore {
  const root = path.join(folder ?? '', 'simulated-objects', orgId, provider, storageAccount, bucket)
  const begin = async (call: 'putObject' | 'listObjects' | 'deleteObject') => {
    await beginCall(far, { call, cloudAccountId: id })
    if (folder === undefined)
      throw cloudFault('system', 'unsupported_call', 'The simulated cloud has no folder for objects.')
    if (missing.test(bucket))
      throw cloudFault('user_action', 'not_found', `The simulated cloud has no bucket ${bucket}.`, {
        fixHint: 'Create the bucket, or name another one.',
      })
  }
  return {
    async put(key, { body }) {
      await begin('putObject')
      const file = path.join(root, key)
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(`${file}.part`, body)
      await rename(`${file}.part`, file)
    },
    async keys(prefix) {
      await begin('listObjects')
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
      return entries
        .filter((one) => one.isFile())
        .map((one) => path.relative(root, path.join(one.parentPath, one.name)).split(path.sep).join('/'))
        .filter((key) => key.startsWith(prefix))
        .slice(0, keysMax)
    },
    async remove(key) {
      await begin('deleteObject')
      await rm(path.join(root, key), { force: true })
    },
    close: () => {},
  }
}
