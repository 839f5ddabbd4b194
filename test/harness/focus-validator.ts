/**
 * The FOCUS validator of the FinOps Foundation's community (`focus_validator` on PyPI): a judge of files that knows nothing
 * of this product. It is Python and has rules for FOCUS 1.2 alone; what is later is fetched from afar, which is not asked for.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from '#config/process/root.ts'

const run = promisify(execFile)
const version = '2.2.1'
/** What reads the file and runs the rules; newer releases of pyarrow refuse the numpy that the validator wants. */
const pinned = [`focus_validator==${version}`, 'pyarrow==22.0.0', 'duckdb==1.5.6', 'polars==1.44.2', 'pandas==2.3.3']
const compiled = 'numpy,pandas,pyarrow,duckdb,polars,pydantic-core'

export interface Finding {
  rule: string
  /** How many rows break the rule, or services for a rule of services. */
  rows: number
  says: string
}
export interface Verdict {
  model: string
  /** How many rules were tried or skipped. */
  rules: number
  findings: Finding[]
}
export interface FocusValidator {
  /** A verdict a file, in their order. */
  judge(files: readonly string[]): Promise<Verdict[]>
}

/** The pinned validator, installed beside the other things that are fetched once; or why there is none. */
export async function focusValidator(): Promise<FocusValidator | string> {
  const place = path.join(root, '.cache', `focus-validator-${version}`)
  if (!existsSync(place)) {
    const python = await newPython()
    if (!python) return 'needs Python 3.12 or newer: the FOCUS validator was not run'
    const fault = await install(python, place)
    if (fault) return `could not install focus_validator ${version}: ${fault}`
  }
  return {
    judge: async (files) => {
      const script = path.join(import.meta.dirname, 'focus-validator.py')
      const { stdout } = await run(pythonIn(place), [script, ...files], { maxBuffer: 2 ** 26 })
      return JSON.parse(stdout) as Verdict[]
    },
  }
}

const pythonIn = (folder: string): string => path.join(folder, 'bin', 'python')

interface Python {
  file: string
  env: NodeJS.ProcessEnv
}

/** The first of these that runs. 3.12 first: it has wheels of everything the validator needs. */
async function newPython(): Promise<Python | undefined> {
  for (const minor of ['3.12', '3.13', '3.14', '']) {
    // Where pyenv stands before the interpreters, a name finds one only when its version is chosen.
    const env = minor === '' ? process.env : { ...process.env, PYENV_VERSION: minor }
    const file = `python${minor === '' ? '3' : minor}`
    const program = 'import sys; sys.exit(sys.version_info < (3, 12))'
    const runs = await run(file, ['-c', program], { env }).then(
      () => true,
      () => false,
    )
    if (runs) return { file, env }
  }
  return undefined
}

/** Made under another name and moved when it is whole, so that a run that was ended leaves no half. Returns what went wrong. */
async function install({ file, env }: Python, place: string): Promise<string | undefined> {
  mkdirSync(path.dirname(place), { recursive: true })
  const made = mkdtempSync(`${place}-`)
  try {
    await run(file, ['-m', 'venv', made], { env })
    await run(pythonIn(made), ['-m', 'pip', 'install', '-q', `--only-binary=${compiled}`, ...pinned], { env })
    renameSync(made, place)
    return undefined
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1)
  } finally {
    rmSync(made, { recursive: true, force: true })
  }
}
