// Generates package-lock.json with the packages of every platform, independent of the platform it is made on, and
// without registry addresses. npm alone omits packages that the current registry does not have, and `npm ci` then
// refuses the lock everywhere.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Where npm looks for a package that the one at `from` needs: beside it first, at the root last. */
function placesOf(from, name) {
  const parts = from.split('/node_modules/')
  const nested = parts.map((_, n) => `${parts.slice(0, parts.length - n).join('/node_modules/')}/node_modules/${name}`)
  return from === '' ? [`node_modules/${name}`] : [...nested, `node_modules/${name}`]
}

/** The optional packages named by a lock's packages, and where each is in the lock, if at all. */
export function optionalOf(packages) {
  return Object.entries(packages).flatMap(([owner, { optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies).map(([name, version]) => {
      const place = placesOf(owner, name).find((at) => packages[at])
      return { owner, name, version, place }
    }),
  )
}

/**
 * The lock without packages that lack an optional package, and without the entries added below, so that npm looks for
 * all of them again.
 */
export function dropIncompletePackages(lock) {
  const isKnown = ({ place }) => place && lock.packages[place].integrity
  const lacking = optionalOf(lock.packages).filter((one) => !isKnown(one))
  const gone = new Set(lacking.flatMap(({ owner, place }) => [owner, place]).filter(Boolean))
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(([at]) => at === '' || !gone.has(at)))
  return { ...lock, packages }
}

const PLATFORM = /(darwin|linux|win32|freebsd|android)-(x64|arm64|ia32)(?:-(gnu|musl|msvc))?$/
const LIBC = { gnu: 'glibc', musl: 'musl' }

/**
 * The lock with an entry for each optional package of an exact version that the registry does not have. npm skips it on
 * other platforms and looks for it on its own platform. Its checksum is unknown.
 * @throws Error for a name without a platform
 */
export function addMissingPackages(lock) {
  const missing = optionalOf(lock.packages).filter(({ place }) => !place)
  const added = missing.map(({ name, version }) => {
    const [, system, processor, libc] = PLATFORM.exec(name) ?? []
    if (!system) throw new Error(`${name} is neither in the lock file nor in the registry, and its platform is unknown`)
    const entry = { version, cpu: [processor], ...(LIBC[libc] && { libc: [LIBC[libc]] }), optional: true, os: [system] }
    return [`node_modules/${name}`, entry]
  })
  const sorted = [...Object.entries(lock.packages), ...added].sort(([a], [b]) => a.localeCompare(b, 'en'))
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added: added.map(([at]) => at) }
}

/** Writes the lock for the package.json in `root`. Versions in the existing lock are kept. Returns the exit status. */
export async function makeLock(root, { npm, say }) {
  const file = path.join(root, 'package-lock.json')
  // In a folder without node_modules, because npm would lock the installed packages of one platform.
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tidemark-lock-'))
  const apart = path.join(folder, 'package-lock.json')
  try {
    fs.copyFileSync(path.join(root, 'package.json'), path.join(folder, 'package.json'))
    if (fs.existsSync(file))
      fs.writeFileSync(apart, text(dropIncompletePackages(JSON.parse(fs.readFileSync(file, 'utf8')))))
    const apartOnly = ['--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved']
    const status = await npm(['install', ...apartOnly, '--no-audit', '--no-fund', '--loglevel=error'], folder)
    if (status !== 0) return status
    const { lock, added } = addMissingPackages(JSON.parse(fs.readFileSync(apart, 'utf8')))
    fs.writeFileSync(file, text(lock))
    say(`package-lock.json names ${Object.keys(lock.packages).length - 1} packages`)
    for (const at of added) say(`without a checksum, because this registry does not contain it: ${at}`)
    return 0
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function text(lock) {
  return `${JSON.stringify(lock, undefined, 2)}\n`
}
