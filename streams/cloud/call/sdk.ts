/** Loads SDK packages at their first use, so that a start without real accounts does not wait for them. */
import { cloudFault } from '#streams/cloud/connector.ts'

/**
 * Imports a package with `load`. `name` is its name in package.json.
 * @throws a `user_action` fault `package_missing` with the command that installs it
 */
export async function sdk<T>(name: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (error) {
    const { code, message = '' } = error as { code?: string; message?: string }
    if (code !== 'ERR_MODULE_NOT_FOUND' || !message.includes(name)) throw error
    throw cloudFault(
      'user_action',
      'package_missing',
      `The package ${name} is not installed. Run npm install ${name} in the Tidemark folder, then restart Tidemark.`,
      { fixHint: 'Run npm install in the Tidemark folder, then restart Tidemark' },
      error,
    )
  }
}
