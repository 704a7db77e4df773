/** Tools for processes that may start none: found here by name and digest, and run in the sandbox. */
import { runTool, stage, type ToolMachine, type ToolOptions } from './run-tool.ts';
import { findTool } from './tool.ts';

/** What is asked for may be the word of whoever wrote the content: a tool is found again before it runs. */
export function createToolMachine(options: Omit<ToolOptions, 'machine'>): ToolMachine {
  const find: ToolMachine['find'] = (name, wanted) =>
    findTool(name, wanted, options.environment ?? process.env);
  return {
    find,
    async run({ name, digest }, args, files) {
      const found = await find(name, digest);
      if ('refused' in found) return found;
      const made = await stage(files);
      if ('refused' in made) return made;
      await using staged = made.staged;
      const ran = await runTool(found.tool, args, staged, options);
      return 'refused' in ran ? ran : { ...ran, stderr: staged.clean(ran.stderr) };
    },
  };
}
