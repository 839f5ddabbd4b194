/** The settings as documents: the table of the guide, and `.env.example`. Both are checked in; `npm run generate` writes them. */
import { settings } from './settings.ts'

const allSettings = Object.values(settings)

export function settingsTable(): string {
  const rows = allSettings.map(({ name, fallback, unit, about }) => {
    const counted = unit.startsWith('bytes') ? `${unit}: ${sizeText(Number(fallback))}` : unit
    return `| \`${name}\` | ${defaultText(name, fallback) || 'unset'}${counted && ` (${counted})`} | ${about} |`
  })
  return ['| setting | default (unit) | what it is |', '|---|---|---|', ...rows].join('\n')
}

const sizeText = (bytes: number): string =>
  bytes % 2 ** 30 === 0 ? `${bytes / 2 ** 30} GiB` : `${bytes / 2 ** 20} MiB`

/** Every line is a comment, so only values that someone has chosen are set. `PATH` belongs to the system. */
export function envExample(): string {
  const lines = allSettings
    .filter(({ name }) => name !== 'PATH')
    .flatMap(({ name, fallback, unit, about }) => {
      const value = defaultText(name, fallback)
      return [
        '',
        `# ${about}${unit !== '' && unit !== 'port' ? ` Unit: ${unit}.` : ''}`,
        `#${name}=${/^[\w./:,-]*$/.test(value) ? value : `'${value}'`}`,
      ]
    })
  return [...header, ...lines, ''].join('\n')
}

const header = [
  '# Every setting of Tidemark with its default. Copy this file to .env, remove the # of what you change, and start with it:',
  '#   set -a; . ./.env; set +a; npm start',
  '# Keep .env out of the repository: it holds secrets. Generated from config/settings/settings.ts by `npm run generate`.',
]

/** Empty if there is no default. */
function defaultText(name: string, fallback: string | number | boolean | readonly string[] | undefined): string {
  // Its default is absolute.
  if (name === 'TIDEMARK_DATA_DIR') return './data'
  if (typeof fallback === 'boolean') return fallback ? '1' : '0'
  return Array.isArray(fallback) ? fallback.join(',') : String(fallback ?? '')
}
