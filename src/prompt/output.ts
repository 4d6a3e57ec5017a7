import type { LanguageModelV4ToolResultOutput, LanguageModelV4ToolResultPart } from "@ai-sdk/provider";
import type { ContentItem, ResultEntry } from "../../machines/history/entry.ts";
import { imagePlaceholder, noOutput, stillRunning } from "../../machines/history/wording.ts";
import { safeText } from "../tool/text.ts";
import type { PromptStyle } from "./builder.ts";
import { cutForModel, shownOfResult } from "./cut.ts";

const shownText = (item: ContentItem): string =>
  item.type === "text" ? safeText(item.text) : imagePlaceholder(item.mediaType);

/** One text: items stand on lines of their own. */
const textOutput = (content: readonly ContentItem[], isReadable: boolean): string => {
  const texts = content.map(shownText).filter((text) => text.trim() !== "");
  return texts.length === 0 ? noOutput : cutForModel(texts.join("\n"), shownOfResult, isReadable);
};

type OutputItem = Extract<LanguageModelV4ToolResultOutput, { type: "content" }>["value"][number];

/** Text beside images. Where it is too long, each text gives in proportion, so that all of it fits the limit. */
const itemsOutput = (content: readonly ContentItem[], isReadable: boolean): LanguageModelV4ToolResultOutput => {
  const length = content.reduce((sum, item) => sum + (item.type === "text" ? item.text.length : 0), 0);
  const share = Math.min(1, shownOfResult / length);
  return {
    type: "content",
    value: content.flatMap((item): OutputItem[] => {
      if (item.type === "image")
        return [{ type: "file", data: { type: "data", data: item.data }, mediaType: item.mediaType }];
      const text = cutForModel(safeText(item.text), Math.floor(item.text.length * share), isReadable);
      return text.trim() === "" ? [] : [{ type: "text", text }];
    }),
  };
};

/**
 * A result as a model reads it: a text, or items when it holds images and the model can see them. Errors are text, for
 * providers know no images in them.
 */
export const outputOf = (
  { content, error }: Pick<ResultEntry, "content" | "error">,
  { supportsImages, readsResults = false }: Pick<PromptStyle, "supportsImages" | "readsResults">,
): LanguageModelV4ToolResultOutput => {
  if (error) return { type: "error-text", value: textOutput(content, readsResults) };
  const showsImages = supportsImages && content.some(({ type }) => type === "image");
  return showsImages ? itemsOutput(content, readsResults) : { type: "text", value: textOutput(content, readsResults) };
};

/** Stands where the result of a call will be. */
export const pendingResult = (toolCallId: string, toolName: string): LanguageModelV4ToolResultPart => ({
  type: "tool-result",
  toolCallId,
  toolName,
  output: { type: "text", value: stillRunning },
});
