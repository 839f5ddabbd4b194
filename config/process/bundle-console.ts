/**
 * Bundles the console: the frame and all that several views use is one file, and each view is a file of its own that is
 * loaded when it is first opened. A page so loads two to four scripts, whichever view it opens.
 */
import path from 'node:path'
import type { Metafile, Plugin } from 'esbuild'
import type { ConsoleFiles } from '#http/console/asset.ts'

/** Texts by their place in the console's folder. */
export type Sources = ReadonlyMap<string, string>

/** What few views use: charts, which are loaded with their library when the first one is drawn, the bar of filters, and what is opened by a key or a click. */
const isApart = (name: string): boolean => /^(chart|filter-bar|palette)\/|^part\/filter\.tsx$/.test(name)

const viewOf = (name: string): string | undefined => /^view\/([^/]+)\//.exec(name)?.[1]

/** What a module imports at once of the console. */
const importsOf = (name: string, text: string): string[] =>
  Array.from(text.matchAll(/^(?:import|export) (?!type )[^'"]*? from '(\.[^']+)'/gm), ([, to]) =>
    path.posix.join(path.posix.dirname(name), to!),
  )

/** Modules that the frame contains: all outside of views, and what one view imports of another. */
function sharedOf(sources: Sources): string[] {
  const modules = [...sources].filter(([name]) => /\.tsx?$/.test(name))
  const outside = modules.map(([name]) => name).filter((name) => !name.startsWith('view/') && !isApart(name))
  const crossed = modules.flatMap(([name, text]) =>
    importsOf(name, text).filter((to) => viewOf(name) && viewOf(to) && viewOf(to) !== viewOf(name)),
  )
  return [...new Set([...outside, ...crossed])]
}

/** Where a page begins: the last module of the frame, so that no script is needed for it alone. */
const entry = 'main.tsx'

/**
 * esbuild makes a file for each set of views that use something together, which would be dozens. Where everything that is
 * loaded by itself imports the whole frame first, the frame is one such set.
 */
const withFrame = (web: string, shared: readonly string[]): Plugin => ({
  name: 'with-frame',
  setup(build) {
    build.onResolve({ filter: /\.tsx$/ }, ({ kind, path: to, resolveDir }) =>
      kind === 'entry-point' || kind === 'dynamic-import'
        ? { path: `./${path.relative(web, path.resolve(resolveDir, to))}`, namespace: 'loaded' }
        : undefined,
    )
    // Packages too: else esbuild's own helpers would be a file that all others load.
    build.onResolve({ filter: /^[^.]/ }, ({ kind, path: name }) =>
      kind === 'dynamic-import' ? { path: name, namespace: 'loaded' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'loaded' }, ({ path: name }) => ({
      contents: `import 'frame'\nexport * from '${name}'`,
      resolveDir: web,
    }))
    build.onResolve({ filter: /^frame$/ }, () => ({ path: 'frame', namespace: 'frame' }))
    build.onLoad({ filter: /.*/, namespace: 'frame' }, () => ({
      contents: [...shared.filter((name) => name !== entry), entry].map((name) => `import './${name}'`).join('\n'),
      resolveDir: web,
    }))
  },
})

/** @throws Error where a source is broken */
export async function bundleConsole(web: string, sources: Sources): Promise<ConsoleFiles> {
  // Only for this: what is bundled already needs no bundler.
  const { build, stop } = await import('esbuild')
  try {
    const views = [...sources.keys()].filter((name) => /^view\/[^/]+\/view\.tsx$/.test(name))
    const { outputFiles, metafile } = await build({
      absWorkingDir: web,
      entryPoints: [...views.map((name) => ({ in: name, out: viewOf(name)! })), { in: 'style.css', out: 'style' }],
      outdir: 'out',
      write: false,
      metafile: true,
      bundle: true,
      splitting: true,
      format: 'esm',
      target: 'es2024',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      minify: true,
      entryNames: '[name]-[hash]',
      chunkNames: '[name]-[hash]',
      logLevel: 'silent',
      plugins: [withFrame(web, sharedOf(sources))],
    })
    const files = new Map(outputFiles.map(({ path: at, contents }) => [path.basename(at), Buffer.from(contents)]))
    return { files, page: { ...pageOf(metafile, views), icon: iconOf(sources.get('mark.svg')!) } }
  } finally {
    await stop()
  }
}

/** As an address that needs no request. */
const iconOf = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`

function pageOf({ outputs }: Metafile, views: readonly string[]): Omit<ConsoleFiles['page'], 'icon'> {
  const made = new Map(
    Object.entries(outputs).map(([at, output]) => [output.entryPoint?.replace(/^loaded:(\.\/)?/, ''), at]),
  )
  const fileOf = (source: string): string => path.basename(made.get(source)!)
  /** Each before those that import it. */
  const modulesOf = (at: string): string[] => {
    const needed = outputs[at]!.imports.filter(({ kind }) => kind === 'import-statement')
    return [...new Set([...needed.flatMap((one) => modulesOf(one.path)), path.basename(at)])]
  }
  const script = path.basename(Object.entries(outputs).find(([, { inputs }]) => entry in inputs)![0])
  return {
    script,
    style: fileOf('style.css'),
    views: Object.fromEntries(views.map((name) => [viewOf(name), modulesOf(made.get(name)!)])),
  }
}
