# SPDX-License-Identifier: Apache-2.0
"""Learners with fixed settings, and the scores of what they predict."""
import warnings

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import (AdaBoostClassifier, AdaBoostRegressor, BaggingClassifier, BaggingRegressor,
                              GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier,
                              RandomForestRegressor)
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, r2_score, roc_auc_score
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from xgboost import XGBClassifier, XGBRegressor

# T2: each with the inputs that it is used to.
CLASSIFIERS = {
    "lr": ("logistic regression", "bins", lambda: LogisticRegression(max_iter=500)),
    "gnb": ("Gaussian naive Bayes", "scaled", GaussianNB),
    "bnb": ("Bernoulli naive Bayes", "bins", BernoulliNB),
    "svm": ("linear SVM", "bins", lambda: LinearSVC(random_state=0)),
    "tree": ("decision tree", "scaled", lambda: DecisionTreeClassifier(min_samples_leaf=20, random_state=0)),
    "lda": ("LDA", "bins", LinearDiscriminantAnalysis),
    "ada": ("AdaBoost", "scaled", lambda: AdaBoostClassifier(random_state=0)),
    "bag": ("bagging", "scaled", lambda: BaggingClassifier(random_state=0)),
    "rf": ("random forest", "scaled", lambda: RandomForestClassifier(random_state=0)),
    "gbm": ("gradient boosting", "scaled", lambda: GradientBoostingClassifier(max_features=0.3, random_state=0)),
    "mlp": ("MLP", "scaled", lambda: MLPClassifier(early_stopping=True, random_state=0)),
    "xgb": ("XGBoost", "scaled", lambda: XGBClassifier(n_jobs=1, random_state=0)),
}
REGRESSORS = {
    "lr": ("ridge regression", "bins", Ridge),
    "tree": ("decision tree", "scaled", lambda: DecisionTreeRegressor(min_samples_leaf=20, random_state=0)),
    "ada": ("AdaBoost", "scaled", lambda: AdaBoostRegressor(random_state=0)),
    "bag": ("bagging", "scaled", lambda: BaggingRegressor(random_state=0)),
    "rf": ("random forest", "scaled", lambda: RandomForestRegressor(random_state=0)),
    "gbm": ("gradient boosting", "scaled", lambda: GradientBoostingRegressor(max_features=0.3, random_state=0)),
    "mlp": ("MLP", "scaled", lambda: MLPRegressor(early_stopping=True, random_state=0)),
    "xgb": ("XGBoost", "scaled", lambda: XGBRegressor(n_jobs=1, random_state=0)),
}
# T3: the defaults of scikit-learn 0.24 and XGBoost 0.90 as far as today's have them, and the two settings of the papers.
PAPERS = {
    "lr": ("logistic regression", lambda: LogisticRegression(max_iter=2000)),
    "gnb": ("Gaussian naive Bayes", GaussianNB),
    "bnb": ("Bernoulli naive Bayes", lambda: BernoulliNB(alpha=0.02)),
    "svm": ("linear SVM", lambda: LinearSVC(dual=True, random_state=0)),
    "tree": ("decision tree", lambda: DecisionTreeClassifier(random_state=0)),
    "lda": ("LDA", LinearDiscriminantAnalysis),
    "ada": ("AdaBoost", lambda: AdaBoostClassifier(random_state=0)),
    "bag": ("bagging", lambda: BaggingClassifier(random_state=0)),
    "rf": ("random forest", lambda: RandomForestClassifier(random_state=0)),
    "gbm": ("gradient boosting", lambda: GradientBoostingClassifier(random_state=0)),
    "mlp": ("MLP", lambda: MLPClassifier(random_state=0)),
    "xgb": ("XGBoost", lambda: XGBClassifier(max_depth=3, learning_rate=0.1, n_estimators=100, n_jobs=1)),
}
# I1: the settings of the papers, where today's libraries have them. AdaBoost was SAMME.R there, and the SVM had 10,000 passes.
IMAGES = {
    "lr": ("logistic regression", lambda: LogisticRegression(max_iter=5000)),
    "rf": ("random forest", lambda: RandomForestClassifier(class_weight="balanced", random_state=0)),
    "gnb": ("Gaussian naive Bayes", GaussianNB),
    "bnb": ("Bernoulli naive Bayes", lambda: BernoulliNB(binarize=0.5)),
    "svm": ("linear SVM", lambda: LinearSVC(loss="hinge", max_iter=500, random_state=0)),
    "tree": ("decision tree", lambda: DecisionTreeClassifier(class_weight="balanced", random_state=0)),
    "lda": ("LDA", lambda: LinearDiscriminantAnalysis(solver="eigen", n_components=9, shrinkage=0.5)),
    "ada": ("AdaBoost", lambda: AdaBoostClassifier(n_estimators=100, random_state=0)),
    "mlp": ("MLP", lambda: MLPClassifier(random_state=0)),
    "bag": ("bagging", lambda: BaggingClassifier(n_estimators=20, max_samples=0.1, random_state=0)),
    "gbm": ("gradient boosting", lambda: GradientBoostingClassifier(n_estimators=50, subsample=0.1, random_state=0)),
    "xgb": ("XGBoost", lambda: XGBClassifier(n_estimators=50, colsample_bytree=0.1, objective="multi:softprob", n_jobs=1)),
}


def fitted(make, x, y):
    """A learner trained on these; one that always says the same where there is only one class."""
    learner = make() if len(np.unique(y)) > 1 else DummyClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of convergence and collinear columns: settings are fixed
        return learner.fit(x, y)


def confidence(learner, x):
    """That the class is 1, on any rising scale."""
    if hasattr(learner, "predict_proba"):
        if 1 not in learner.classes_:
            return np.zeros(len(x))
        return learner.predict_proba(x)[:, list(learner.classes_).index(1)]
    return learner.decision_function(x)


def compact(train, test):
    """Classes as XGBoost wants them, 0 to k - 1, those of the training rows first."""
    kinds = np.concatenate([np.unique(train), np.setdiff1d(np.unique(test), np.unique(train))])
    place = {kind: i for i, kind in enumerate(kinds)}
    return np.array([place[y] for y in train]), np.array([place[y] for y in test])


def with_mean(scores, measures):
    """Adds the mean over learners of each measure."""
    for measure in measures:
        scores[f"mean, {measure}"] = float(np.mean([v for k, v in scores.items() if k.endswith(", " + measure)]))
    return scores


def score_classifiers(chosen, inputs, train, y_train, test, y_test, classes):
    """T2 for classes: AUROC and average precision from confidences if there are two, else macro-F1 and accuracy."""
    scores = {}
    if classes > 2:
        y_train, y_test = compact(y_train, y_test)
    for key in chosen:
        name, kind, make = CLASSIFIERS[key]
        learner = fitted(make, getattr(inputs, kind)(train), y_train)
        x = getattr(inputs, kind)(test)
        if classes == 2:
            sure = confidence(learner, x)
            scores[f"{name}, AUROC"] = float(roc_auc_score(y_test, sure))
            scores[f"{name}, AP"] = float(average_precision_score(y_test, sure))
        else:
            said = learner.predict(x)
            scores[f"{name}, macro-F1"] = float(f1_score(y_test, said, average="macro"))
            scores[f"{name}, accuracy"] = float(accuracy_score(y_test, said))
    return with_mean(scores, ("AUROC", "AP") if classes == 2 else ("macro-F1", "accuracy"))


def score_regressors(chosen, inputs, train, y_train, test, y_test):
    """T2 for numbers: R2. Targets are learned with mean 0 and deviation 1."""
    scores = {}
    mean, deviation = y_train.mean(), y_train.std() or 1.0
    for key in (k for k in chosen if k in REGRESSORS):
        name, kind, make = REGRESSORS[key]
        learner = make().fit(getattr(inputs, kind)(train), (y_train - mean) / deviation)
        scores[f"{name}, R2"] = float(r2_score(y_test, learner.predict(getattr(inputs, kind)(test)) * deviation + mean))
    return with_mean(scores, ("R2",))


def score_papers(chosen, x_train, y_train, x_test, y_test, classes):
    """T3: from labels that are said, not from confidences."""
    scores = {}
    if classes > 2:
        y_train, y_test = compact(y_train, y_test)
    for key in chosen:
        name, make = PAPERS[key]
        said = fitted(make, x_train, y_train).predict(x_test)
        if classes == 2:
            scores[f"{name}, ROC"] = float(roc_auc_score(y_test, said))
            scores[f"{name}, PRC"] = float(average_precision_score(y_test, said))
        else:
            scores[f"{name}, F1"] = float(f1_score(y_test, said, average="weighted"))
    return with_mean(scores, ("ROC", "PRC") if classes == 2 else ("F1",))


def score_images(chosen, x_train, y_train, x_test, y_test):
    """I1: accuracy and macro-F1."""
    scores = {}
    y_train, y_test = compact(y_train, y_test)
    for key in chosen:
        name, make = IMAGES[key]
        said = fitted(make, x_train, y_train).predict(x_test)
        scores[f"{name}, accuracy"] = float(accuracy_score(y_test, said))
        scores[f"{name}, macro-F1"] = float(f1_score(y_test, said, average="macro"))
    return with_mean(scores, ("accuracy", "macro-F1"))
