# The vowel space of a corpus, from R.
#
#   Rscript vowels.R textgrids ALIGNED TRACKS OUT.png
#   Rscript vowels.R reticulate RECORDINGS OUT.png
#
# "textgrids" needs R and ggplot2 alone: it reads the tiers `phones` of ALIGNED, and the formants at
# the middle of each vowel from tables time,f1,f2 in TRACKS, such as `run.py --tracks` writes.
# "reticulate" calls Align and Praat from R: RECORDINGS holds sound and text, side by side.
# Python is the one that RETICULATE_PYTHON names.

library(ggplot2)

vowels <- c("iy", "ih", "eh", "ae", "aa", "ah", "ao", "uh", "uw", "ux", "er")
shortest <- 0.05 # seconds

# One row for each interval of a tier of a long TextGrid in UTF-8: label, start and end in seconds.
read_tier <- function(path, tier = "phones") {
  lines <- trimws(readLines(path, encoding = "UTF-8", warn = FALSE))
  name <- which(lines == sprintf('name = "%s"', tier))
  if (length(name) != 1) stop(path, ": has no tier ", tier)
  rest <- lines[(name + 1):length(lines)]
  following <- grep("^name = ", rest)
  if (length(following)) rest <- rest[seq_len(following[1] - 1)]
  rest <- rest[-seq_len(grep("^intervals: size", rest))] # the times before are those of the tier
  value <- function(key) sub(".* = ", "", grep(paste0("^", key, " = "), rest, value = TRUE))
  data.frame(
    label = gsub('^"|"$', "", value("text")),
    start = as.numeric(value("xmin")),
    end = as.numeric(value("xmax"))
  )
}

chosen <- function(d) d[d$label %in% vowels & d$end - d$start >= shortest, ]

from_textgrids <- function(aligned, tracks) {
  files <- list.files(aligned, "[.]TextGrid$", recursive = TRUE)
  do.call(rbind, lapply(files, function(file) {
    d <- chosen(read_tier(file.path(aligned, file)))
    track <- read.csv(file.path(tracks, sub("[.]TextGrid$", ".formants.csv", file)))
    at <- function(column) approx(track$time, track[[column]], (d$start + d$end) / 2)$y
    if (nrow(d)) cbind(d, speaker = basename(dirname(file)), f1 = at("f1"), f2 = at("f2"))
  }))
}

from_recordings <- function(recordings) {
  align <- reticulate::import("align")
  transcripts <- reticulate::import("align.speech.text")
  praat <- reticulate::import("parselmouth")
  aligner <- align$load("speech-en")
  files <- list.files(recordings, "[.](wav|flac)$", recursive = TRUE, full.names = TRUE)
  do.call(rbind, lapply(files, function(file) {
    said <- transcripts$read_transcript(sub("[.]\\w+$", ".txt", file))
    phones <- aligner$align_text(file, said)$phones
    times <- phones$intervals$T$tolist() # as lists, which old versions of reticulate take too
    d <- chosen(data.frame(
      label = unlist(phones$labels), start = unlist(times[[1]]), end = unlist(times[[2]])
    ))
    formants <- praat$Sound(file)$to_formant_burg(time_step = 0.005)
    at <- function(k) sapply((d$start + d$end) / 2, function(t) formants$get_value_at_time(k, t))
    if (nrow(d)) cbind(d, speaker = basename(dirname(file)), f1 = at(1L), f2 = at(2L))
  }))
}

vowel_space <- function(d) {
  middle <- aggregate(cbind(f1, f2) ~ label, d, mean)
  many <- d[ave(d$f1, d$label, FUN = length) >= 6, ] # an ellipse needs some
  ggplot(d, aes(f2, f1, colour = label)) +
    geom_point(alpha = 0.45, size = 1.2) +
    stat_ellipse(data = many, level = 0.39, type = "norm") + # one standard deviation
    geom_label(data = middle, aes(label = label), size = 5, label.size = 0, alpha = 0.8) +
    scale_x_reverse("F2 (Hz)", position = "top") +
    scale_y_reverse("F1 (Hz)", position = "right") +
    theme_minimal() +
    theme(legend.position = "none")
}

arguments <- commandArgs(trailingOnly = TRUE)
how <- list(textgrids = from_textgrids, reticulate = from_recordings)[[arguments[1]]]
between <- arguments[-c(1, length(arguments))]
d <- do.call(how, as.list(between))
d <- d[is.finite(d$f1) & is.finite(d$f2), ]
print(aggregate(cbind(f1, f2) ~ label, d, function(x) round(mean(x))))
ggsave(arguments[length(arguments)], vowel_space(d), width = 7, height = 5.5, dpi = 110, bg = "white")
